"""The speed of the solver, alone and beside others: ``python -m benchmarks --help``."""
