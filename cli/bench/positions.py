"""The positions of ``c4 bench``, in the six classes that solvers of the game are compared by.

A class is a phase of the game, by the stones on the board, and a difficulty, by the plies that are
left under perfect play:

======  ============   ======  =================
begin   up to 14       easy    up to 14 to play
middle  15 to 28       medium  15 to 28 to play
end     from 29 on     hard    from 29 on
======  ============   ======  =================

The positions ship as ``data/bench.txt``, one a line: moves and score. They were drawn by
``python -m benchmarks engine positions``.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.evaluation import plies_to_end
from c4core.notation import DEFAULT_BOARD

if TYPE_CHECKING:
    from collections.abc import Iterable

CLASSES: Final = (
    "end-easy",
    "middle-easy",
    "begin-easy",
    "middle-medium",
    "begin-medium",
    "begin-hard",
)
"""Names of the classes, the quickest to solve first."""

_LAST_BEGIN: Final = 14
_LAST_MIDDLE: Final = 28
_MAX_EASY: Final = 14
_MAX_MEDIUM: Final = 28


class Scored(NamedTuple):
    """A position of the 7x6 board with its exact score."""

    moves: str
    """1-based columns."""
    score: int
    """For the side to move."""


def class_of(position: Scored) -> str:
    """The name of the class that a position belongs to."""
    stones = len(position.moves)
    left = plies_to_end(position.score, stones, DEFAULT_BOARD.width, DEFAULT_BOARD.height)
    phase = "begin" if stones <= _LAST_BEGIN else "middle" if stones <= _LAST_MIDDLE else "end"
    grade = "easy" if left <= _MAX_EASY else "medium" if left <= _MAX_MEDIUM else "hard"
    return f"{phase}-{grade}"


def read_scored(lines: Iterable[str]) -> list[Scored]:
    """Read lines of ``moves score``; the rest of a line is ignored.

    Raises:
        ValueError: a line has no score.
    """
    positions = []
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        try:
            positions.append(Scored(words[0], int(words[1])))
        except (IndexError, ValueError):
            raise ValueError(f"line {number} is not 'moves score': {line.rstrip()!r}") from None
    return positions


def by_class(positions: Iterable[Scored]) -> dict[str, list[Scored]]:
    """The positions of each class, in their order; classes in the order of :data:`CLASSES`."""
    classes: dict[str, list[Scored]] = {name: [] for name in CLASSES}
    for position in positions:
        classes[class_of(position)].append(position)
    return classes


def shipped_set() -> dict[str, list[Scored]]:
    """The positions that ship with the program, by class."""
    text = resources.files("cli").joinpath("data", "bench.txt").read_text(encoding="ascii")
    return by_class(read_scored(text.splitlines()))
