"""The training and strength of players that learn: ``python -m benchmarks.learning --help``."""
