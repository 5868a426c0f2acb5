"""The summary of a book for its picture: scores of lines of play, and score counts."""

from pathlib import Path

import numpy as np
import pytest

from c4core.book import Book
from c4core.book.outline import NO_LINE, rings, spreads
from c4core.evaluation import NO_SCORE
from c4core.position import Position
from tests.support.boards.small_books import opening_book, small_book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    small_book(tmp_path / "a.c4book", width=4, height=4)
    return Book.open(tmp_path / "a.c4book")


def test_lines_have_the_first_players_scores_in_order(book: Book) -> None:
    empty, one, two, *_, five = rings(book, 5)
    assert empty.tolist() == [book.probe("")]
    for first in range(4):
        after = Position(width=4, height=4).play(first)
        assert one[first] == -(book.probe(after) or 0)
        for second in range(4):
            assert two[4 * first + second] == book.probe(after.play(second))
    assert five[0] == NO_LINE  # a column of four squares
    assert five[1] != NO_LINE


def test_lines_beyond_the_book_are_unknown(tmp_path: Path) -> None:
    opening_book(tmp_path / "short.c4book", width=4, height=4, last=1)
    *_, last, beyond = rings(Book.open(tmp_path / "short.c4book"), 2)
    assert NO_SCORE not in last.tolist()
    assert set(beyond.tolist()) == {NO_SCORE}


def test_every_position_is_counted_once(book: Book) -> None:
    found = list(spreads(book))
    assert [spread.ply for spread in found] == list(range(book.info.last_ply + 1))
    assert sum(int(spread.counts.sum()) for spread in found) == len(book)
    for spread in found:
        assert sum(spread.values) == spread.counts.sum()
        assert sum(spread.shares) == pytest.approx(1)
        assert np.array_equal(np.unique(spread.scores), spread.scores)
