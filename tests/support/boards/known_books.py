"""Published figures of books, and checks against them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from c4core.arrays import MOVE_FILLS, MOVE_WINS, children
from c4core.notation import BoardSize
from c4core.position import Position
from tests.support.boards.books import source, unreduced
from tests.support.boards.exhaustive import exhaustive_scores
from workers.book.build import BookPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.database import Database
    from workers.book.build import Level

OPEN_POSITIONS = (1, 4, 25, 121, 568, 2_144, 8_231, 27_109, 91_295)
"""Numbers of 7x6 positions by ply that are not over, with mirror images counted once."""

FIRST_PLAYER_VALUES = (
    (1, 0, 0),
    (1, 2, 4),
    (27, 12, 10),
    (35, 58, 145),
    (690, 200, 230),
    (1_080, 697, 2_486),
    (10_889, 1_943, 3_590),
)
"""Numbers of 7x6 positions won, drawn and lost for the first player, by ply, with mirror images."""


def values(level: Level) -> tuple[int, int, int]:
    """The numbers of 7x6 positions won, drawn and lost for the first player, with mirror images."""
    counts: Counter[int] = Counter()
    for key, score in zip(*(column.tolist() for column in level), strict=True):
        position = Position.from_key(key)
        sign = int(np.sign(score)) * (1 if position.turn == "x" else -1)
        counts[sign] += 1 + (position.mirrored().key != key)
    return counts[1], counts[0], counts[-1]


def check_plies(levels: Sequence[Level]) -> None:
    """Check a book of 7x6 from the empty board, as far as figures are published."""
    sizes = tuple(len(keys) for keys, _ in levels)
    assert sizes[: len(OPEN_POSITIONS)] == OPEN_POSITIONS[: len(sizes)]
    # No game of 7x6 ends before its seventh ply.
    for level, expected in zip(levels, FIRST_PLAYER_VALUES, strict=False):
        assert values(level) == expected


def check_whole_board(database: Database, width: int, height: int, reachable: int) -> None:
    """Build the complete book of a board and compare it with the slow solver.

    ``reachable`` is the number of positions of the board, including positions that are over.
    """
    book = BookPlan(BoardSize(width, height), width * height - 1)
    levels = book.scored(source(database))
    total = 0
    for (keys, scores), (all_keys, all_scores) in zip(
        levels, exhaustive_scores(width, height), strict=False
    ):
        places = np.searchsorted(all_keys, keys)
        assert np.array_equal(all_keys[places], keys)
        assert np.array_equal(all_scores[places], scores)
        behind, moves = children(keys, BoardSize(width, height))
        ended = np.unique(behind[(moves == MOVE_WINS) | (moves == MOVE_FILLS)])
        total += unreduced(keys, width, height) + unreduced(ended, width, height)
    assert total == reachable
    assert levels[0][1].tolist() == [0]
