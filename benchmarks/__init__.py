"""Measurements, and the commands that repeat them: ``python -m benchmarks SUBJECT --help``."""
