"""What an experiment is, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Finding:
    """The table of an experiment, and what it says."""

    headings: tuple[str, ...]
    """The first column has words, the others numbers."""
    rows: tuple[tuple[str, ...], ...]
    """As many cells each as there are headings."""
    found: str
    """What came out, in sentences with the table's numbers."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that a source describes."""

    name: str
    """For the command line."""
    title: str
    source: str
    """What the source says, in sentences."""
    sample: int
    """How many games, or positions, each row of the table has."""
    run: Callable[[int, int], Finding]
    """Runs it, with the size of the sample and a seed."""
