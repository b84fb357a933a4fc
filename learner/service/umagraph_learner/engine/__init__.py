"""Models, losses, optimiser and sampler: everything that touches torch."""
