"""A Tinker-compatible training service for one machine."""
