"""Moves compared with exact scores: what a move was worth, and what the best one was.

Every score is for the side that moved. This is the one place that says what a move gave away, which
mark it gets (:data:`Mark`), and how accurate several moves were (:func:`result_accuracy`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from c4core.position import Position, Side

Mark = Literal["??", "?", "!", ""]
"""How a move is annotated.

- ``??``: it changed the result for the worse;
- ``?``: the result stays, but the win is slower or the loss quicker;
- ``!``: no other column was as good, and at least one would have changed the result;
- nothing: anything else.
"""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move and its exact score."""

    ply: int
    """Stones on the board before it."""
    side: Side
    """Who moved."""
    column: int
    """Where, 0-based."""
    best: int
    """The score of the best columns, for the side that moved."""
    played: int
    """The score of this column, for the same side."""
    scores: tuple[int | None, ...] = ()
    """The scores of all columns, for the same side; None where a column was full."""

    @property
    def is_best(self) -> bool:
        """Whether no column was better."""
        return self.played == self.best

    @property
    def best_columns(self) -> tuple[int, ...]:
        """The columns that no other one is better than, 0-based."""
        return tuple(column for column, score in enumerate(self.scores) if score == self.best)

    @property
    def loss(self) -> int:
        """The points that were given away."""
        return self.best - self.played

    @property
    def is_blunder(self) -> bool:
        """Whether it changed the result: a win into a draw or a loss, a draw into a loss."""
        return _sign(self.played) < _sign(self.best)

    @property
    def is_decision(self) -> bool:
        """Whether some column would have changed the result, so that there was one to keep."""
        lowest = min((score for score in self.scores if score is not None), default=self.played)
        return _sign(lowest) < _sign(self.best)

    @property
    def mark(self) -> Mark:
        """How the move is annotated."""
        if self.is_blunder:
            return "??"
        if self.loss:
            return "?"
        return "!" if self.is_decision and len(self.best_columns) == 1 else ""


def judge_move(
    position: Position, column: int, scores: Sequence[int | None] | None
) -> JudgedMove | None:
    """Judge a move by the scores of all columns of its position; None where they are not known.

    Args:
        position: before the move.
        column: 0-based.
        scores: one for each column, for the side to move; None where a column is full.
    """
    if scores is None:
        return None
    known = [score for score in scores if score is not None]
    played = scores[column]
    if played is None or len(known) < len(position.legal_columns()):
        return None
    return JudgedMove(position.ply, position.turn, column, max(known), played, tuple(scores))


def result_accuracy(moves: Iterable[JudgedMove]) -> float | None:
    """How well some moves kept the result, in percent; None where none of them could change it.

    It is the share of moves that kept the result among those that could have lost it. Moves in a
    position where every column leads to the same result are left out: they cannot be wrong, and
    would make a lost game look well played. Every mistake weighs the same: in a solved game a
    result is lost or it is not.

    Players are rated by single moves as in Guid and Bratko, "Computer analysis of world chess
    champions" (ICGA Journal 29, 2006), but by exact results in place of an engine's estimates.

    Args:
        moves: of one side.
    """
    decisions = [move for move in moves if move.is_decision]
    if not decisions:
        return None
    kept = sum(not move.is_blunder for move in decisions)
    return 100 * kept / len(decisions)


def positions_of(start: Position, columns: Iterable[int]) -> list[Position]:
    """The position before each move.

    Args:
        start: the position before the first move.
        columns: 0-based.

    Raises:
        MoveError: a move cannot be played.
    """
    positions = []
    for column in columns:
        positions.append(start)
        start = start.play(column)
    return positions


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
