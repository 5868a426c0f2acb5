"""The choice between a module for narrow boards and its copy for wide ones, in ``c4core.players.wide``."""

import functools
import importlib

from c4core.engine.board cimport is_narrow
from c4core.position cimport Position


def by_width(function):
    """Wrap a function: for a position on a wide board, call the same function of the wide module.

    The position is the first argument. In a wide module, the function itself is returned.
    """
    package, module = function.__module__.rsplit(".", 1)
    if package.endswith(".wide"):
        return function
    cdef str name = function.__name__
    cdef str wide = f"{package}.wide.{module}"

    @functools.wraps(function)
    def of_width(Position position not None, *arguments, **options):
        if is_narrow(position.g):
            return function(position, *arguments, **options)
        return getattr(importlib.import_module(wide), name)(position, *arguments, **options)

    return of_width
