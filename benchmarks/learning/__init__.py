"""Players that learn, trained and tried: ``python -m benchmarks.learning --help``."""
