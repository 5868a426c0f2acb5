"""Moves compared with exact scores: what a move was worth, and what the best one was.

Every score is for the side that moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from c4core.position import Position, Side


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

    @property
    def is_best(self) -> bool:
        """Whether no column was better."""
        return self.played == self.best

    @property
    def loss(self) -> int:
        """The points that were given away."""
        return self.best - self.played

    @property
    def is_blunder(self) -> bool:
        """Whether it changed the result: a win into a draw or a loss, a draw into a loss."""
        return _sign(self.played) < _sign(self.best)


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
    return JudgedMove(position.ply, position.turn, column, max(known), played)


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
