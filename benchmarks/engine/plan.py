"""The size of a measurement: numbers of positions and repetitions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

ALL: Final = 1_000_000
"""More positions than any class has."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Numbers of positions and of repetitions.

    Some rivals need minutes for positions that take this engine seconds. They get only the first
    positions of a class. The engine is timed on these as well, for a comparison on the same
    positions.
    """

    repeats: int = 5
    """Repetitions of this engine."""
    rival_repeats: int = 3
    """Repetitions of the other solvers."""
    positions: dict[str, int] = field(default_factory=lambda: {"begin-hard": 100})
    """The most positions of a class for this engine; no limit for a class without an entry."""
    rival_positions: dict[str, int] = field(
        default_factory=lambda: {"begin-medium": 50, "begin-hard": 10}
    )
    """The most positions of a class for the other solvers."""
    rival_columns: int = 10
    """Positions in which the other solvers score all columns."""
    boards: tuple[str, ...] = ("7x5", "6x6", "5x8", "6x7", "8x5")
    """Empty boards besides 7x6."""
    long_repeats: int = 3
    """Repetitions of cases that take this engine many seconds."""
    batch: int = ALL
    """Positions of a batch."""
    hard: int = 20
    """Hard positions that several threads work on one by one."""

    def share(self, name: str, *, rival: bool = False) -> int:
        """The most positions of a class that a solver is given."""
        own = self.positions.get(name, ALL)
        return min(own, self.rival_positions.get(name, ALL)) if rival else own


FULL: Final = Plan()

QUICK: Final = Plan(
    repeats=3,
    rival_repeats=1,
    positions={
        "end-easy": 50,
        "middle-easy": 50,
        "begin-easy": 50,
        "middle-medium": 50,
        "begin-medium": 10,
        "begin-hard": 2,
    },
    rival_positions={"begin-medium": 5, "begin-hard": 1},
    rival_columns=1,
    boards=("7x5",),
    long_repeats=1,
    batch=50,
    hard=2,
)
"""A plan for a test of all measurements in a minute; its figures mean little."""
