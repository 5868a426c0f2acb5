"""Measurements, and the commands that repeat them: ``python -m benchmarks.PART --help``.

The parts are ``books``, ``datasets``, ``deep``, ``learning``, ``matches``, ``scaling``, ``storage``
and ``web``; ``python -m benchmarks`` alone measures the engine.
"""
