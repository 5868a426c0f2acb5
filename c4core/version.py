"""The version of the package and of the engine."""

__version__ = "0.1.0"

ENGINE_VERSION = 1
"""Stored with every evaluation. It increases if a fault of the engine may affect older results."""
