"""Books against figures that are known from elsewhere, and small boards to their last ply."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from c4core.arrays import MOVE_FILLS, MOVE_WINS, children
from c4core.book.exchange.uci import uci_keys
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from tests.support.boards.books import source, unreduced
from tests.support.boards.exhaustive import exhaustive_scores
from workers.books.build import CompleteBook
from workers.positions.book_answers import shipped_book

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.database import Database
    from workers.books.build import Level

OPEN_POSITIONS = (1, 4, 25, 121, 568, 2_144, 8_231, 27_109, 91_295)
"""Of 7x6 by ply: of two mirror images one, not over."""

FIRST_PLAYER_VALUES = (
    (1, 0, 0),
    (1, 2, 4),
    (27, 12, 10),
    (35, 58, 145),
    (690, 200, 230),
    (1_080, 697, 2_486),
    (10_889, 1_943, 3_590),
)
"""Of 7x6 by ply: won, drawn, lost for the first player; mirror images counted."""

UCI_VALUES = {1: 44_473, -1: 16_635, 0: 6_449}


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Elsewhere it answers nothing; here it is what is tested."""


def values(level: Level) -> tuple[int, int, int]:
    """Positions of 7x6 that are won, drawn and lost for the first player, mirror images counted."""
    counts: Counter[int] = Counter()
    for key, score in zip(*(column.tolist() for column in level), strict=True):
        position = Position.from_key(key)
        sign = int(np.sign(score)) * (1 if position.turn == "x" else -1)
        counts[sign] += 1 + (position.mirrored().key != key)
    return counts[1], counts[0], counts[-1]


def check_plies(levels: Sequence[Level]) -> None:
    """Check a book of 7x6 from the empty board, as far as figures are known."""
    sizes = tuple(len(keys) for keys, _ in levels)
    assert sizes[: len(OPEN_POSITIONS)] == OPEN_POSITIONS[: len(sizes)]
    # No game of 7x6 is over before its seventh ply.
    for level, expected in zip(levels, FIRST_PLAYER_VALUES, strict=False):
        assert values(level) == expected


@pytest.mark.parametrize(
    ("width", "height", "reachable"),
    [
        (4, 4, 161_029),
        pytest.param(5, 4, 3_945_711, marks=pytest.mark.long),
        pytest.param(4, 5, 1_706_255, marks=pytest.mark.long),
    ],
)
def test_a_whole_board(database: Database, width: int, height: int, reachable: int) -> None:
    book = CompleteBook(Position(width=width, height=height), width * height - 1)
    levels = book.scored(source(database))
    total = 0
    for (keys, scores), (all_keys, all_scores) in zip(
        levels, exhaustive_scores(width, height), strict=False
    ):
        places = np.searchsorted(all_keys, keys)
        assert np.array_equal(all_keys[places], keys)
        assert np.array_equal(all_scores[places], scores)
        behind, moves = children(keys, width=width, height=height)
        ended = np.unique(behind[(moves == MOVE_WINS) | (moves == MOVE_FILLS)])
        total += unreduced(keys, width, height) + unreduced(ended, width, height)
    assert total == reachable
    assert levels[0][1].tolist() == [0]


@pytest.mark.long
@pytest.mark.parametrize("rows_url", ["sqlite"], indirect=True)  # minutes of search, few rows
def test_ply_4(database: Database) -> None:
    check_plies(CompleteBook(Position(), 4).scored(source(database, table_mb=256)))


def test_the_book_that_ships() -> None:
    book = shipped_book(DEFAULT_BOARD)
    assert book is not None
    levels = list(book.levels())
    check_plies(levels)
    assert book.scores(Position()) == (-2, -1, 0, 1, 0, -1, -2)
    if len(levels) > len(OPEN_POSITIONS):
        assert Counter(np.sign(book.probe_many(uci_keys(levels[8][0]))).tolist()) == UCI_VALUES
