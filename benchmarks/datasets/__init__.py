"""The costs of labelled data sets of 7x6: ``python -m benchmarks.datasets --help``."""
