"""The costs of certificates, and games by them: ``python -m benchmarks.certificates --help``."""
