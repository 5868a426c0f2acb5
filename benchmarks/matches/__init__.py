"""The matches of the source documents, played again: ``python -m benchmarks.matches --help``."""
