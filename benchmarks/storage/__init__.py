"""The costs of storage and jobs beside the search: ``python -m benchmarks.storage --help``."""
