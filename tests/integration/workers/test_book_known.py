"""Books compared with published figures, and a small board to its last ply."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from c4core.arrays import is_threatened, wins_now
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from db.database import Database
from tests.support.boards.known_books import OPEN_POSITIONS, check_plies, check_whole_board
from workers.answers.question import shipped_book

UCI_VALUES = {1: 44_473, -1: 16_635, 0: 6_449}
"""The values of the data set connect-4 of the UCI repository: the positions with 8 stones in which
neither side could win with the next stone."""


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Use the shipped book, which other tests disable."""


def test_a_complete_book_of_a_small_board(database: Database) -> None:
    check_whole_board(database, 4, 4, 161_029)


def test_the_shipped_book_agrees_with_published_figures() -> None:
    book = shipped_book(DEFAULT_BOARD)
    assert book is not None
    levels = list(islice(book.levels(), len(OPEN_POSITIONS)))
    check_plies(levels)
    assert book.scores(Position()) == (-2, -1, 0, 1, 0, -1, -2)
    assert len(levels) == len(OPEN_POSITIONS)
    keys = levels[8][0]
    quiet = keys[~wins_now(keys, DEFAULT_BOARD) & ~is_threatened(keys, DEFAULT_BOARD)]
    assert Counter(np.sign(book.probe_many(quiet)).tolist()) == UCI_VALUES
