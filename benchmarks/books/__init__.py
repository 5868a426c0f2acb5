"""The costs of books of 7x6: ``python -m benchmarks.books --help``."""
