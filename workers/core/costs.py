"""The expected and the measured time of searches, by ply.

A job is cut into units by the expected time of their positions (:class:`CostModel`). Positions of
one ply differ by a factor of a hundred, but only the sum over a unit matters.
"""

from __future__ import annotations

import math
import threading
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from c4core.notation import MAX_BITS
from c4core.version import ENGINE_VERSION
from db import jobs
from db.records.evaluations import Cost

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from c4core.notation import BoardSize
    from db.database import Database, Session

WRITE_SECONDS: Final = 5.0
"""Time between two additions of a process to the stored costs."""

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
    """The expected search time of a position, by its ply: measured, or else guessed.

    The weight of a ply's measured mean grows with its number of positions. The means of other plies
    count as well, with a weight that falls with each ply of distance.

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


def cost_model(
    database: Database,
    board: BoardSize,
    *,
    columns: bool,
    ease: float = 1.0,
    answered: Container[int] = (),
) -> CostModel:
    """Build a cost model from the measurements of this engine version so far."""
    with database.read() as session:
        measured = jobs.read_costs(
            session, engine_version=ENGINE_VERSION, board=board, columns=columns
        )
    return CostModel(board, measured, columns=columns, ease=ease, answered=answered)


def _log_ratio(cost: Cost, guess: float) -> float:
    return math.log(max(cost.seconds / cost.positions, LEAST_SECONDS) / guess)


def _factor(ply: int, known: list[tuple[int, int, float]]) -> float:
    """The factor on the guess: the weighted geometric mean of 1 and the measured ratios."""
    weights = [number * NEIGHBOUR_SHARE ** abs(other - ply) for other, number, _ratio in known]
    total = sum(
        weight * ratio for weight, (_ply, _number, ratio) in zip(weights, known, strict=True)
    )
    return math.exp(total / (GUESS_POSITIONS + sum(weights)))


class MeasuredCosts:
    """The costs of this process's searches that are not stored yet. Thread-safe.

    They are stored every few seconds, and are a sample: a transaction that fails loses some.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._costs: defaultdict[tuple[BoardSize, bool], dict[int, Cost]] = defaultdict(dict)
        self._due = time.monotonic() + WRITE_SECONDS

    def add(self, board: BoardSize, costs: Mapping[int, Cost], *, columns: bool) -> None:
        """Add the costs of a unit; ``columns``: whether every column was scored."""
        with self._lock:
            sums = self._costs[board, columns]
            for ply, cost in costs.items():
                old = sums.get(ply, Cost(0, 0.0))
                sums[ply] = Cost(old.positions + cost.positions, old.seconds + cost.seconds)

    def is_due(self) -> bool:
        """Whether there are costs to store, and the last time was some seconds ago."""
        return time.monotonic() >= self._due and bool(self._costs)

    def store(self, session: Session) -> None:
        """Add all costs to the stored ones."""
        with self._lock:
            taken, self._costs = self._costs, defaultdict(dict)
            self._due = time.monotonic() + WRITE_SECONDS
        for (board, columns), costs in taken.items():
            jobs.add_costs(
                session, engine_version=ENGINE_VERSION, board=board, columns=columns, costs=costs
            )
