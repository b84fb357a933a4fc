"""The computation behind the service: models, losses, optimiser, checkpoints and sampler."""
