"""The source documents' matches, played again: ``python -m benchmarks.matches --help``."""
