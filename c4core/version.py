"""The version of the package and of the engine."""

from c4core._version import __version__

__all__ = ["ENGINE_VERSION", "__version__"]

ENGINE_VERSION = 1
"""Stored with every evaluation. It increases if a fault of the engine may affect older results."""
