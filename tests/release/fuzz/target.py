"""A target: the source of its cases, and the code under test."""

from collections.abc import Callable
from random import Random
from typing import NamedTuple


class Target(NamedTuple):
    """Code that accepts untrusted input."""

    make: Callable[[Random], bytes]
    """Makes a case; the same generator state makes the same case."""
    run: Callable[[bytes], object]
    errors: tuple[type[Exception], ...]
    """The documented errors, which it may raise."""
