"""Guesses for positions that are not solved, from a short Monte Carlo tree search.

A guess proves nothing. It is never stored and never changes proven bounds. docs/boards.md says how
often guesses are right. For an empty board with a published score, the guess is that score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.dice import Dice
from c4core.players.playouts import uct_statistics
from c4core.solved import published_score

if TYPE_CHECKING:
    from c4core.evaluation import Value
    from c4core.position import Position

MOST_GAMES: Final = 100_000
"""The default number of random games; they take 0.1 to 0.3 s on most boards."""
EXPLORATION: Final = 0.5
"""UCT's exploration factor. On positions of 8x7, 0.4 and 0.7 gave better guesses than 1.4."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A guess of a position's result for the side to move. It is not proven."""

    share: float
    """The side to move's share of wins in the games after the most tried column; a draw counts
    half."""
    columns: tuple[float | None, ...]
    """The share after each column; None for a full column."""
    published: int | None = None
    """The published score of an empty board; None for other positions."""

    def value(self, lower: int, upper: int) -> Value:
        """The published or guessed outcome. It does not contradict proven bounds."""
        tendency = self.share - 0.5 if self.published is None else self.published
        if tendency > 0 and upper > 0:
            return "win"
        return "loss" if tendency < 0 and lower < 0 else "draw"


def estimate(position: Position, *, games: int = MOST_GAMES) -> Estimate:
    """Guess the result of a position and of its columns, without proof.

    The same arguments give the same guess, and mirror images give mirrored guesses.

    Args:
        position: a position that is not over.
        games: the number of random games, at least 1.

    Raises:
        ValueError: the game is over, or ``games`` is below 1.
    """
    is_canonical = position.key == position.canonical_key
    canonical = position if is_canonical else position.mirrored()
    found = uct_statistics(canonical, Dice(0), iterations=games, exploration=EXPLORATION)
    if canonical.mirrored() == canonical:
        found = tuple(
            None if one is None or other is None else (one[0] + other[0], one[1] + other[1])
            for one, other in zip(found, reversed(found), strict=True)
        )
    columns = tuple(
        None if column is None else column[1] / column[0] if column[0] else 0.5 for column in found
    )
    tried = max((column for column in found if column is not None), key=lambda column: column[0])
    return Estimate(
        tried[1] / tried[0],
        columns if is_canonical else columns[::-1],
        None if position.ply else published_score(position.board),
    )
