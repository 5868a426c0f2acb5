"""The expected time to search a position: measured, or guessed if nothing is measured.

Positions of one ply differ by a factor of a hundred, but only the sum over a unit matters. The
weight of a ply's measured mean grows with its number of positions. The means of other plies count
as well, with a weight that falls with each ply of distance.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from c4core.notation import MAX_BITS
from c4core.version import ENGINE_VERSION
from db.jobs import read_costs

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from c4core.notation import BoardSize
    from db.database import Database
    from db.records.evaluations import Cost
    from workers.answers.question import Question


GUESS_POSITIONS: Final = 20.0
"""The weight of the guess, as a number of measured positions."""

NEIGHBOUR_SHARE: Final = 0.25
"""The weight of a measured position falls by this factor with every ply."""

ANSWERED_SECONDS: Final = 2e-5
"""Seconds to look a position and its columns up in a book, and to store the answer."""

LEAST_SECONDS: Final = 1e-6
"""Smaller means are raised to this value, because 0 has no logarithm."""

# The guess grows by a factor with every empty square. It was fitted to the means of random games on
# 7x6, in milliseconds: 0.02 with 16 empty squares, 0.1 with 20, 0.6 with 24, 4 with 28, 55 with 32,
# 200 with 34 (public benchmark positions: 54 with 31, 840 with 35).
_GUESSED_BY_EMPTY: Final = [1e-5 + 1.5e-9 * 1.74**empty for empty in range(MAX_BITS + 1)]

_SCORE_ONLY_SHARE: Final = 0.25
"""The time for a position's score alone, as a share of the time for all columns; also measured."""


class CostModel:
    """The expected search time of a position, by its ply.

    ``ease`` is a factor on the guess, for positions that are easier than others. Plies in
    ``answered`` are not searched because a book answers them.
    """

    def __init__(
        self,
        board: BoardSize,
        measured: Mapping[int, Cost] | None = None,
        *,
        columns: bool = True,
        ease: float = 1.0,
        answered: Container[int] = (),
    ) -> None:
        squares = board.width * board.height
        ease *= 1.0 if columns else _SCORE_ONLY_SHARE
        guesses = [ease * _GUESSED_BY_EMPTY[squares - ply] for ply in range(squares + 1)]
        known = [
            (ply, cost.positions, _log_ratio(cost, guesses[ply]))
            for ply, cost in (measured or {}).items()
            if 0 <= ply <= squares and cost.positions > 0
        ]
        self._seconds = [
            ANSWERED_SECONDS if ply in answered else guess * _factor(ply, known)
            for ply, guess in enumerate(guesses)
        ]

    def seconds(self, ply: int) -> float:
        """The expected seconds for one position of this ply."""
        return self._seconds[ply]


def read_model(
    database: Database,
    board: BoardSize,
    question: Question,
    *,
    ease: float = 1.0,
    answered: Container[int] = (),
) -> CostModel:
    """Build a cost model from the measurements of this engine version so far."""
    with database.read() as session:
        measured = read_costs(
            session, engine_version=ENGINE_VERSION, board=board, columns=question.columns
        )
    return CostModel(board, measured, columns=question.columns, ease=ease, answered=answered)


def _log_ratio(cost: Cost, guess: float) -> float:
    return math.log(max(cost.seconds / cost.positions, LEAST_SECONDS) / guess)


def _factor(ply: int, known: list[tuple[int, int, float]]) -> float:
    """The factor on the guess: the weighted geometric mean of 1 and the measured ratios."""
    weights = [number * NEIGHBOUR_SHARE ** abs(other - ply) for other, number, _ratio in known]
    total = sum(
        weight * ratio for weight, (_ply, _number, ratio) in zip(weights, known, strict=True)
    )
    return math.exp(total / (GUESS_POSITIONS + sum(weights)))
