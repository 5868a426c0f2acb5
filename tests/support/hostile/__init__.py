"""Hostile inputs: what somebody may hand in on purpose, each with the answer that it gets.

There is one corpus, and it is used twice. ``tests/integration/test_hostile.py`` hands every input
to the program once and compares the answer; what needs an optional package is in
``tests/release/extras/test_hostile_extras.py``. The fuzzers (``tests.release.fuzz``) run the same
inputs first, and change them by chance.
"""

from collections.abc import Callable
from typing import NamedTuple


class Case(NamedTuple):
    """A hostile input."""

    name: str
    """Says what is wrong with it."""
    make: Callable[[bytes], bytes]
    """Makes it from a valid input."""
    answer: str
    """A pattern that every line of the answer contains; empty if the input is harmless."""
    is_large: bool = False
    """Whether a careless reader would allocate a lot of memory."""

    def __str__(self) -> str:
        """The name, which is part of a test's name."""
        return self.name
