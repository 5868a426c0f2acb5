"""The task of a job of kind ``deep``: the value of one position. Its units are pieces of the task.

The payload of a unit is the piece; the result has the proven bounds::

    {"key": 4611, "beta": 1}                              canonical key, and the question

    {"lower": -3, "upper": 0,                             for the side to move
     "hard": false,                                       whether it was too hard for one unit
     "nodes": 512000, "seconds": 0.04}

    {"cut": true}                                         the result was no longer needed

The bounds are also stored as an evaluation, even if they do not decide the piece.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Final

from c4core.position import Position
from workers.deep.tree import Piece, Tree

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from db.records.jobs import Json


KIND: Final = "deep"

FORM: Final = 1
"""Format version of payloads and results. Jobs with another version are not found."""

UNIT_NODES: Final = 200_000_000
"""Nodes that one worker searches for a piece before the piece is split: about 15 s. With less, too
many searches are wasted; with more, the other workers wait for one."""

MAX_SPLIT_PLIES: Final = 12
"""Maximum depth of the split. There are hundreds of thousands of positions to ply 9 alone; a deeper
split would mean planning only."""


@dataclass(frozen=True, slots=True)
class DeepTask:
    """A position, the question about it, and how the work is split."""

    start: Position
    """The position, in its given orientation."""
    moves: str
    """The moves to the position, as 1-based columns."""
    weak: bool = False
    """Whether win, draw or loss is enough."""
    split_plies: int = 3
    """Positions fewer plies than this below the start are split without a search."""
    unit_nodes: int = UNIT_NODES
    """Number of nodes searched for a piece before it is split."""

    @property
    def board(self) -> BoardSize:
        """The board of the position."""
        return self.start.board

    def tree(self) -> Tree:
        """The tree of the position, without any proven bounds."""
        return Tree(self.start, split_plies=self.split_plies, weak=self.weak)

    def asks_like(self, other: DeepTask) -> bool:
        """Whether both ask the same question, even if they split the work differently."""
        return self.question() == other.question()

    def question(self) -> Json:
        """The question alone, independent of the orientation and of how the work is split."""
        return {"key": self.start.canonical_key, "weak": self.weak}

    def as_params(self) -> Json:
        """The job parameters."""
        return {
            "form": FORM,
            "moves": self.moves,
            "weak": self.weak,
            "split": self.split_plies,
            "nodes": self.unit_nodes,
        }

    @classmethod
    def from_params(cls, params: Json, board: BoardSize) -> DeepTask:
        """Read the task from a job's parameters."""
        moves = params["moves"]
        return cls(
            Position(moves, width=board.width, height=board.height),
            moves,
            params["weak"],
            params["split"],
            params["nodes"],
        )


def plies_to_split(threads: int) -> int:
    """The depth of the split for a number of threads: enough pieces, without needless overhead.

    It follows a line through the best depths in simulation (docs/deep-log.md): 3 plies for four and
    eight threads, 4 for 16, 6 for 64. Two threads also get 3 plies: shared bounds make small
    pieces cheap, and less work is wasted.
    """
    if threads <= 1:
        return 1
    return min(MAX_SPLIT_PLIES, max(3, round(1 + 0.8 * log2(threads))))


CUT: Json = {"cut": True}
"""The result of a unit that was ended because its result is no longer needed."""


def payload_of(piece: Piece) -> Json:
    """The payload of the unit for a piece."""
    return {"key": piece.key, "beta": piece.beta}


def piece_of(payload: Json) -> Piece:
    """The piece in a unit's payload."""
    return Piece(payload["key"], payload["beta"])
