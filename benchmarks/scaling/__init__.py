"""The scaling of the service: ``python -m benchmarks.scaling --help``.

``measure`` finds the ``costs`` of units and messages on a real PostgreSQL and a real Redis.
``limits`` is the formula for the load at which each resource saturates; ``check`` compares the
costs with real workers.
"""
