"""Books compared with published figures, and a small board to its last ply."""

from collections import Counter
from itertools import islice

import numpy as np

from c4core.arrays import MOVE_FILLS, MOVE_WINS, children, is_threatened, wins_now
from c4core.book.book import Book
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from db.database import Database
from tests.support.boards.books import source, unreduced
from tests.support.boards.exhaustive import exhaustive_scores
from workers.book.build import BookPlan

UCI_VALUES = {1: 44_473, -1: 16_635, 0: 6_449}
"""The values of the data set connect-4 of the UCI repository: the positions with 8 stones in which
neither side could win with the next stone."""


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


def values(level: tuple[np.ndarray, np.ndarray]) -> tuple[int, int, int]:
    """The numbers of 7x6 positions won, drawn and lost for the first player, with mirror images."""
    counts: Counter[int] = Counter()
    for key, score in zip(*(column.tolist() for column in level), strict=True):
        position = Position.from_key(key)
        sign = int(np.sign(score)) * (1 if position.turn == "x" else -1)
        counts[sign] += 1 + (position.mirrored().key != key)
    return counts[1], counts[0], counts[-1]


def test_a_complete_book_of_a_small_board(database: Database) -> None:
    """It agrees with the slow solver."""
    book = BookPlan(BoardSize(4, 4), 15)
    levels = book.scored(source(database))
    total = 0
    for (keys, scores), (all_keys, all_scores) in zip(
        levels, exhaustive_scores(4, 4), strict=False
    ):
        places = np.searchsorted(all_keys, keys)
        assert np.array_equal(all_keys[places], keys)
        assert np.array_equal(all_scores[places], scores)
        behind, moves = children(keys, BoardSize(4, 4))
        ended = np.unique(behind[(moves == MOVE_WINS) | (moves == MOVE_FILLS)])
        total += unreduced(keys, 4, 4) + unreduced(ended, 4, 4)
    assert total == 161_029  # with positions that are over
    assert levels[0][1].tolist() == [0]


def test_the_shipped_book_agrees_with_published_figures() -> None:
    with Book.shipped() as book:
        levels = list(islice(book.levels(), len(OPEN_POSITIONS)))
        assert tuple(len(keys) for keys, _ in levels) == OPEN_POSITIONS
        # No game of 7x6 ends before its seventh ply.
        assert tuple(map(values, levels[: len(FIRST_PLAYER_VALUES)])) == FIRST_PLAYER_VALUES
        assert book.scores(Position()) == (-2, -1, 0, 1, 0, -1, -2)
        keys = levels[8][0]
        quiet = keys[~wins_now(keys, DEFAULT_BOARD) & ~is_threatened(keys, DEFAULT_BOARD)]
        assert Counter(np.sign(book.probe_many(quiet)).tolist()) == UCI_VALUES
