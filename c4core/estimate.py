"""Guesses for positions that are not solved, from a short Monte Carlo tree search.

A guess proves nothing. It is never stored and never changes proven bounds. docs/boards.md says how
often guesses are right. For an empty board with a published score, the guess is that score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from c4core.dice import Dice
from c4core.players.playouts import uct_statistics
from c4core.solved import published_score

if TYPE_CHECKING:
    from c4core.evaluation import ColumnBounds
    from c4core.position import Position

MOST_GAMES: Final = 100_000
"""The default number of random games; they take 0.1 to 0.3 s on most boards."""
EXPLORATION: Final = 0.5
"""UCT's exploration factor. On positions of 8x7, 0.4 and 0.7 gave better guesses than 1.4."""
CLOSE: Final = 0.15
"""A share that differs less than this from a half is too close to call."""
_EVEN: Final = 0.5
LEAST_SHARE: Final = 0.001
"""A guess never says that a side certainly loses."""
SLOPE: Final = 2.5
"""The calibration: the log odds of the games are multiplied by the slope. It fits solved positions
of 7x6, 8x7, 8x8 and 9x6, whether 1,000 or 100,000 games were simulated (docs/boards.md)."""
OPENING_SLOPE: Final = 1.0
OPENING: Final = 8
"""The slope falls towards ``OPENING_SLOPE`` if the board has fewer stones than this. On empty
boards the games say little: the first player wins 55 to 60 % of them, even on boards that the
second player wins with perfect play."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A guess of a position's result for the side to move. It is not proven."""

    share: float
    """The expected result for the side to move: 1 for a win, 0 for a loss, a half for a draw. It
    is calibrated: of the positions with a share of 70 %, about 70 % are won."""
    columns: tuple[float | None, ...]
    """The share after each column, calibrated alike; None for a full column."""
    published: int | None = None
    """The published score of an empty board; None for other positions."""

    @property
    def favoured(self) -> Literal["win", "loss"] | None:
        """The outcome that is clearly more likely than its opposite; None if it is too close.

        For an empty board, it is that of the published score.
        """
        lead = self.share - _EVEN if self.published is None else self.published
        if abs(lead) < CLOSE:
            return None
        return "win" if lead > 0 else "loss"

    def within(self, lower: int, upper: int, bounds: ColumnBounds | None) -> Estimate:
        """This estimate without contradictions to proven bounds of the position and its columns.

        A share is at most a half if a win is impossible, at least a half if a loss is.
        """
        columns = self.columns
        if bounds is not None:
            columns = tuple(
                [
                    None if share is None or pair is None else _within(share, *pair)
                    for share, pair in zip(columns, bounds, strict=True)
                ]
            )
        return Estimate(_within(self.share, lower, upper), columns, self.published)


def _within(share: float, lower: int, upper: int) -> float:
    if upper <= 0:
        share = min(share, _EVEN)
    return max(share, _EVEN) if lower >= 0 else share


def calibrated(share: float, ply: int) -> float:
    """The expected result of a position in which a side won this share of the games."""
    share = min(max(share, LEAST_SHARE), 1 - LEAST_SHARE)
    slope = OPENING_SLOPE + (SLOPE - OPENING_SLOPE) * min(ply, OPENING) / OPENING
    return 1.0 / (1.0 + math.pow((1 - share) / share, slope))


def estimate(position: Position, *, games: int = MOST_GAMES) -> Estimate:
    """Guess the result of a position and of its columns, without proof.

    The same arguments give the same guess, and mirror images give mirrored guesses.
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
        None
        if column is None
        else calibrated(column[1] / column[0], position.ply)
        if column[0]
        else 0.5
        for column in found
    )
    tried = max((column for column in found if column is not None), key=lambda column: column[0])
    share = calibrated(tried[1] / tried[0], position.ply)
    published = None if position.ply else published_score(position.board)
    if published is not None and published <= 0 and share > _EVEN:
        # No column is better than the published score, but their order is kept.
        columns = tuple([None if each is None else each * _EVEN / share for each in columns])
        share = _EVEN
    return Estimate(share, columns if is_canonical else columns[::-1], published)
