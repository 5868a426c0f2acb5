"""Judge moves by exact scores: the loss and the mark of a move, and the accuracy of several moves.

Every score is for the side that moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from c4core.evaluation import score_limits, sign

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from c4core.position import Position, Side

Mark = Literal["??", "?", "!", ""]
"""The annotation of a move.

- ``??``: the move changed the result for the worse;
- ``?``: the result stays, but the win is slower or the loss quicker;
- ``!``: the only move that kept the result, if it was not obvious. At least two other columns could
  be played, the move did not win at once, and the others did not all lose at once. It was not in
  the opening: the first fifth of the board's stones (8 on 7x6), which players know by heart;
- empty: any other move.
"""

OTHERS: Final = 2
"""A move is marked ``!`` only if this many other columns could be played."""

OPENING: Final = 5
"""The number of squares divided by this is the number of plies in the opening. On 7x6, half of all
only moves are among the first eight moves, and players know them by heart."""


@dataclass(frozen=True, slots=True)
class JudgedMove:
    """A move and its exact score."""

    ply: int
    """Stones on the board before the move."""
    side: Side
    """The side that moved."""
    column: int
    """The column that was played, 0-based."""
    best: int
    """The score of the best columns, for the side that moved."""
    played: int
    """The score of the played column, for the side that moved."""
    scores: tuple[int | None, ...] = ()
    """The scores of all columns, for the side that moved; None for a full column."""
    is_obvious: bool = False
    """Whether the move is in the opening, won at once, or was the only one that did not lose at
    once."""

    @property
    def is_best(self) -> bool:
        """Whether no column was better."""
        return self.played == self.best

    @property
    def best_columns(self) -> tuple[int, ...]:
        """The best columns, 0-based."""
        return tuple(column for column, score in enumerate(self.scores) if score == self.best)

    @property
    def keeping_columns(self) -> tuple[int, ...]:
        """The columns that keep the result, 0-based."""
        result = sign(self.best)
        scores = enumerate(self.scores)
        return tuple(column for column, s in scores if s is not None and sign(s) == result)

    @property
    def loss(self) -> int:
        """The points that the move gave away."""
        return self.best - self.played

    @property
    def is_blunder(self) -> bool:
        """Whether the move changed the result: a win to a draw or loss, or a draw to a loss."""
        return sign(self.played) < sign(self.best)

    @property
    def is_missed_win(self) -> bool:
        """Whether the move turned a win into a draw or a loss."""
        return self.best > 0 >= self.played

    @property
    def is_decision(self) -> bool:
        """Whether some column would have changed the result."""
        lowest = min((score for score in self.scores if score is not None), default=self.played)
        return sign(lowest) < sign(self.best)

    @property
    def is_choice(self) -> bool:
        """Whether some column was worse than the best one."""
        return any(score is not None and score < self.best for score in self.scores)

    @property
    def is_hard_to_find(self) -> bool:
        """Whether the move was the only one that kept the result, and not obvious."""
        known = [score for score in self.scores if score is not None]
        is_only = len(self.keeping_columns) == 1 and not self.is_blunder
        return is_only and len(known) > OTHERS and not self.is_obvious

    @property
    def mark(self) -> Mark:
        """The annotation of the move."""
        if self.is_blunder:
            return "??"
        if self.loss:
            return "?"
        return "!" if self.is_hard_to_find else ""


def judge_move(
    position: Position, column: int, scores: Sequence[int | None] | None
) -> JudgedMove | None:
    """Judge a move by the scores of all columns of its position; None if a score is unknown.

    Args:
        position: the position before the move.
        column: the column that was played, 0-based.
        scores: one for each column, for the side to move; None for a full column.
    """
    if scores is None:
        return None
    known = [score for score in scores if score is not None]
    played = scores[column]
    if played is None or len(known) < len(position.legal_columns()):
        return None
    worst, most = score_limits(position.ply, position.board)
    others = [score for other, score in enumerate(scores) if score is not None and other != column]
    return JudgedMove(
        position.ply,
        position.turn,
        column,
        best=max(known),
        played=played,
        scores=tuple(scores),
        is_obvious=position.ply < position.board.cells // OPENING
        or played == most
        or all(score == worst for score in others),
    )


def result_accuracy(moves: Iterable[JudgedMove]) -> float | None:
    """Return the percentage of moves that kept the result; None if no move could change it.

    Only moves in positions where a column would have changed the result count. Other moves cannot
    be wrong, and would make a lost game look well played. All mistakes have the same weight,
    because in a solved game a result is either kept or lost.

    Guid and Bratko rated players by single moves in "Computer analysis of world chess champions"
    (ICGA Journal 29, 2006). Here, exact results replace an engine's estimates.

    Args:
        moves: the moves of one side.
    """
    decisions = [move for move in moves if move.is_decision]
    if not decisions:
        return None
    kept = sum(not move.is_blunder for move in decisions)
    return 100 * kept / len(decisions)


def best_share(moves: Iterable[JudgedMove]) -> float | None:
    """Return the percentage of moves that were best; None if there was no choice.

    A move is best if no other column has a better score: it wins as soon and loses as late as
    possible. Moves in positions where all columns have the same score do not count.

    Args:
        moves: the moves of one side.
    """
    choices = [move for move in moves if move.is_choice]
    if not choices:
        return None
    return 100 * sum(move.is_best for move in choices) / len(choices)


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The accuracy of some moves."""

    moves: int = 0
    """Moves that were judged."""
    best: int = 0
    """Moves with the best score."""
    blunders: int = 0
    """Moves that changed the result for the worse."""
    lost: int = 0
    """Points of score that all moves together gave away."""

    @property
    def best_share(self) -> float | None:
        """The share of best moves; None without moves."""
        return self.best / self.moves if self.moves else None

    @property
    def blunder_share(self) -> float | None:
        """The share of blunders; None without moves."""
        return self.blunders / self.moves if self.moves else None

    @property
    def mean_loss(self) -> float | None:
        """The average points that a move gave away; None without moves."""
        return self.lost / self.moves if self.moves else None

    def __add__(self, other: Accuracy) -> Accuracy:
        """The accuracy of both sets of moves together."""
        if not isinstance(other, Accuracy):
            return NotImplemented
        return Accuracy(
            self.moves + other.moves,
            self.best + other.best,
            self.blunders + other.blunders,
            self.lost + other.lost,
        )


class PlyAccuracy:
    """The accuracy of moves by the number of stones that were on the board."""

    def __init__(self) -> None:
        self._plies: dict[int, Accuracy] = {}

    @property
    def plies(self) -> Mapping[int, Accuracy]:
        """The accuracy by ply, ascending; plies without moves are left out."""
        return dict(sorted(self._plies.items()))

    @property
    def total(self) -> Accuracy:
        """The accuracy of all moves."""
        return sum(self._plies.values(), Accuracy())

    def add(self, move: JudgedMove) -> None:
        """Count a move."""
        seen = Accuracy(1, int(move.is_best), int(move.is_blunder), move.loss)
        self._plies[move.ply] = self._plies.get(move.ply, Accuracy()) + seen


def positions_of(start: Position, columns: Iterable[int]) -> list[Position]:
    """Return the position before each move.

    Args:
        start: the position before the first move.
        columns: the moves, 0-based.

    Raises:
        MoveError: a move cannot be played.
    """
    positions = []
    for column in columns:
        positions.append(start)
        start = start.play(column)
    return positions
