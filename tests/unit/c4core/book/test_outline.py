"""The summary of a book for its picture: scores of lines of play, and score counts."""

from pathlib import Path

import numpy as np
import pytest

from c4core.book import Book
from c4core.book.outline import NO_LINE, rings, spreads
from c4core.book.writer import write_book
from c4core.evaluation import NO_SCORE
from c4core.position import Position
from tests.support.boards.small_books import opening, small_book


@pytest.fixture
def book(tmp_path: Path) -> Book:
    path = tmp_path / "a.c4book"
    small_book(path, width=4, height=4, moves="", kind="complete")
    return Book.open(path)


def test_lines_have_the_first_players_scores_in_order(book: Book) -> None:
    empty, one, two = rings(book, 2)
    assert empty.tolist() == [book.probe("")]
    for first in range(4):
        after = Position(width=4, height=4).play(first)
        assert one[first] == -(book.probe(after) or 0)
        for second in range(4):
            assert two[4 * first + second] == book.probe(after.play(second))


def test_a_column_of_four_squares_has_no_fifth_move(book: Book) -> None:
    *_, values = rings(book, 5)
    assert values[0] == NO_LINE
    assert values[1] != NO_LINE


def test_lines_beyond_the_book_are_unknown(tmp_path: Path) -> None:
    path = tmp_path / "short.c4book"
    start = Position(width=4, height=4)
    write_book(path, opening(start, 1), start=start)
    *_, last, beyond = rings(Book.open(path), 2)
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
