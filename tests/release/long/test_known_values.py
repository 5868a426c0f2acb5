"""Published values and figures that take minutes."""

import pytest

from c4core import Position, Solver
from c4core.book import Book
from c4core.book.verify import verify

LARGER_BOARDS = [
    ("9x4", "loss"), ("10x4", "loss"), ("8x5", "win"), ("7x6", "win"), ("6x7", "win"),
    ("4x10", "draw"),
]  # fmt: skip


@pytest.mark.parametrize(("board", "value"), LARGER_BOARDS)
def test_value_of_larger_empty_boards(board: str, value: str) -> None:
    assert Solver().solve(Position(board=board), weak=True).value == value


def test_the_empty_board() -> None:
    solver = Solver()
    analysis = solver.analyze(Position())
    assert analysis.scores == (-2, -1, 0, 1, 0, -1, -2)
    assert (analysis.score, analysis.best) == (1, (3,))
    # With the same table: every column has been searched.
    line = solver.principal_variation(Position())
    assert len(line) == 41
    assert Position.from_columns(line).winner == "x"


def test_the_shipped_book_is_intact() -> None:
    with Book.shipped() as book:
        assert verify(book, sample=0).problems == ()
