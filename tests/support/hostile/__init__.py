"""Hostile inputs, each with the expected answer.

``tests/integration/test_hostile.py`` gives each input to the program and compares the answer;
Parquet files are in ``tests/release/extras/parquet``.
"""

from collections.abc import Callable
from typing import NamedTuple


class Case(NamedTuple):
    """A hostile input."""

    name: str
    """Describes the fault in the input."""
    make: Callable[[bytes], bytes]
    """Makes the input from a valid one."""
    answer: str
    """Pattern that every line of the answer matches; empty if the input is harmless."""
    is_large: bool = False
    """Whether a careless reader would allocate a lot of memory."""

    def __str__(self) -> str:
        """The name, which becomes part of a test's name."""
        return self.name
