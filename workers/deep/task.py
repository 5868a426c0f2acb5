"""The task of a job of kind ``deep``: the score of one position.

A unit is a *shift*: a thread searches for some time. Its payload is empty. Its result has the
position's proven bounds at its end, for the side to move, and the effort of the shift::

    {"lower": -3, "upper": 0, "nodes": 512000, "seconds": 0.04}

    {"cut": true}       the score was decided before a worker took the shift

The shift that decides the score also has a line of best play, as 1-based columns: ``"line":
"4455"``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.position import Position

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from db.records.jobs import Json

KIND: Final = "deep"

CUT: Json = {"cut": True}
"""The result of a shift that is no longer needed."""


@dataclass(frozen=True, slots=True)
class DeepTask:
    """A position, and the question about it."""

    start: Position
    """The position, in its given orientation."""
    moves: str
    """The moves to the position, as 1-based columns."""
    weak: bool = False
    """Whether win, draw or loss is enough."""

    @property
    def board(self) -> BoardSize:
        """The board of the position."""
        return self.start.board

    def question(self) -> Json:
        """The question alone, independent of the orientation."""
        return {"key": self.start.canonical_key, "weak": self.weak}

    def as_params(self) -> Json:
        """The job parameters."""
        return {"moves": self.moves, "weak": self.weak}

    @classmethod
    def from_params(cls, params: Json, board: BoardSize) -> DeepTask:
        """Read the task from a job's parameters."""
        moves = params["moves"]
        start = Position(moves, board=board)
        return cls(start, moves, params["weak"])
