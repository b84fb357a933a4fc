"""The HTTP side of the learner: routes, futures, ordering, sessions, checkpoints. Torch stays in ``engine``."""
