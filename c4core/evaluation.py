"""The result of a search. Every score is for the side to move.

A win whose last stone is played when m stones are on the board scores
``(width * height + 1 - m) // 2``: on 7x6, 22 minus the number of the winner's stones at the end.
A draw scores 0, and a loss is negative. If the game has already been won, the position's score is
the negative of the winner's score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.notation import BoardSize
    from c4core.position import Position

Value = Literal["win", "draw", "loss"]

ColumnBounds = tuple[tuple[int, int] | None, ...]
"""The proven bounds of the score of every column; None for a column that cannot be played."""

NO_SCORE: Final = -128
"""The entry of a score array if the column cannot be played or its score is unknown."""


def score_limits(ply: int, board: BoardSize) -> tuple[int, int]:
    """Return the worst and the best possible score if the game is not over after ``ply`` stones."""
    return -((board.cells - ply) // 2), (board.cells + 1 - ply) // 2


def final_score(position: Position) -> int:
    """Return a finished game's score for the side to move: 0, or minus the winner's score."""
    if position.winner is None:
        return 0
    return -score_limits(position.ply - 1, position.board)[1]  # before the winner's last stone


def plies_to_end(score: int, ply: int, board: BoardSize) -> int:
    """Return the number of plies until the game ends under perfect play.

    The score is for the side to move. The winner wins as early and the loser loses as late as
    possible; a draw fills the board. The score determines the number of the winner's stones, and so
    the last ply: a win comes after an odd number of plies, a loss after an even number. The result
    is 0 if the game is over.
    """
    cells = board.cells
    if score == 0:
        return cells - ply
    # The winner's last move is made when m stones are on the board, and
    # (cells + 1 - m) // 2 == |score| leaves two neighbouring values of m: parity decides.
    last = cells + 1 - 2 * abs(score)
    winner_moves_now = score > 0
    if (last - ply) % 2 != (0 if winner_moves_now else 1):
        last -= 1
    return last - ply + 1


def exact_score(lower: int, upper: int) -> int | None:
    """Return the score if the proven bounds are equal, else None."""
    return lower if lower == upper else None


def value_between(lower: int, upper: int) -> Value | None:
    """Return the outcome that proven bounds determine, or None while it is open."""
    if lower > 0:
        return "win"
    if upper < 0:
        return "loss"
    return "draw" if lower == upper == 0 else None


def best_columns(score: int | None, scores: Sequence[int | None] | None) -> tuple[int, ...]:
    """Return the 0-based columns with the position's score; empty if an argument is None."""
    if score is None or scores is None:
        return ()
    return tuple([column for column, value in enumerate(scores) if value == score])


COLUMN_FACTS: Final = ("score", "lower", "upper")
"""The facts about each column in tables."""


def column_name(fact: str, column: int) -> str:
    """Return the name of a fact about a 0-based column in tables: ``score_1`` for the first."""
    return f"{fact}_{column + 1}"


def exact_bounds(scores: Sequence[int | None]) -> ColumnBounds:
    """Return the bounds of columns with known scores; None is a column that cannot be played."""
    return tuple([None if score is None else (score, score) for score in scores])


def exact_scores(bounds: ColumnBounds) -> tuple[int | None, ...]:
    """Return the score of every column whose bounds are equal, else None."""
    return tuple([None if pair is None else exact_score(*pair) for pair in bounds])


def combine_bounds(lower: int, upper: int, bounds: ColumnBounds) -> tuple[int, int, ColumnBounds]:
    """Let proven bounds of a position and of its columns narrow each other.

    The position's score is the best one of its columns. So no column exceeds the position's upper
    bound; and if only one column can reach the position's lower bound, it does.
    """
    known = [pair for pair in bounds if pair is not None]
    if not known:
        return lower, upper, bounds
    lower = max(lower, *(low for low, _ in known))
    upper = min(upper, max(high for _, high in known))
    only = sum(high >= lower for _, high in known) == 1
    combined = [
        None
        if pair is None
        else (
            max(pair[0], lower) if only and pair[1] >= lower else pair[0],
            min(pair[1], upper),
        )
        for pair in bounds
    ]
    return lower, upper, tuple(combined)


def is_proven_choice(bounds: ColumnBounds, column: int) -> bool:
    """Return whether no column is proven or undecided to have a better result than this one."""
    chosen = bounds[column]
    known = [pair for pair in bounds if pair is not None]
    return chosen is not None and sign(chosen[0]) >= max(sign(upper) for _, upper in known)


def sign(score: int) -> int:
    """Return 1, 0 or -1 for a win, a draw or a loss."""
    return (score > 0) - (score < 0)


def bounds_text(lower: int, upper: int) -> str:
    """Return proven bounds as short text: ``+3``, ``>=2``, ``>0``; ``?`` if both sides may win."""
    if lower == upper:
        return signed(lower)
    if lower >= 0:
        return ">0" if lower == 1 else f">={lower}"
    if upper <= 0:
        return "<0" if upper == -1 else f"<={upper}"
    return "?"


class Bounded:
    """A mixin for classes with the fields ``lower`` and ``upper``, bounds on a score.

    All scores are for the side to move.
    """

    __slots__ = ()

    lower: int
    upper: int

    @property
    def score(self) -> int | None:
        """The exact score; None if the bounds differ after a stop or a weak search."""
        return exact_score(self.lower, self.upper)

    @property
    def is_exact(self) -> bool:
        """Whether the bounds are equal."""
        return self.lower == self.upper

    @property
    def value(self) -> Value | None:
        """The outcome for the side to move, or None while the bounds leave it open."""
        return value_between(self.lower, self.upper)

    def _bounds(self) -> dict[str, int | str | None]:
        return {
            "score": self.score,
            "lower": self.lower,
            "upper": self.upper,
            "value": self.value,
        }


@dataclass(frozen=True, slots=True)
class Evaluation(Bounded):
    """The score of one position, or its proven bounds, for the side to move."""

    lower: int
    """Proven lower bound of the score."""
    upper: int
    """Proven upper bound of the score."""
    nodes: int = 0
    """Number of positions that the search visited."""
    seconds: float = 0.0
    """Wall-clock seconds of the search."""

    def to_dict(self) -> dict[str, int | float | str | None]:
        """Return all facts as a flat dictionary, for example as a row of a table."""
        return {**self._bounds(), "nodes": self.nodes, "seconds": self.seconds}


@dataclass(frozen=True, slots=True)
class Analysis(Bounded):
    """The score of every column of one position, for the side to move."""

    scores: tuple[int | None, ...]
    """The score of each column; None if the column cannot be played or is not solved."""
    bounds: ColumnBounds
    """The proven bounds of each column's score; None if the column cannot be played."""
    lower: int
    """Proven lower bound of the position's score."""
    upper: int
    """Proven upper bound of the position's score."""
    nodes: int = 0
    """Number of positions that the search visited."""
    seconds: float = 0.0
    """Wall-clock seconds of the search."""

    @property
    def best(self) -> tuple[int, ...]:
        """The 0-based columns that reach the position's score; empty while it is unknown."""
        return best_columns(self.score, self.scores)

    def to_dict(self) -> dict[str, int | float | str | None]:
        """Return all facts as a flat dictionary, for example as a row of a table.

        ``best`` has the best columns, separated by spaces. ``score_1`` is the score of the first
        column, ``lower_1`` and ``upper_1`` are its bounds: columns count from 1.
        """
        lower = [None if pair is None else pair[0] for pair in self.bounds]
        upper = [None if pair is None else pair[1] for pair in self.bounds]
        return {
            **self._bounds(),
            "best": " ".join(str(column + 1) for column in self.best),
            **{
                column_name(fact, column): value
                for fact, values in zip(COLUMN_FACTS, (self.scores, lower, upper), strict=True)
                for column, value in enumerate(values)
            },
            "nodes": self.nodes,
            "seconds": self.seconds,
        }


def signed(score: int | None) -> str:
    """Return a score with its sign; empty for None."""
    return "" if score is None else f"{score:+d}" if score else "0"
