"""``python -m umagraph_learner``."""

from umagraph_learner.main import main

main()
