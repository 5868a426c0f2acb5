"""Published values and figures that take minutes."""

from itertools import islice

import numpy as np
import pytest

from c4core import Position, Solver, parse_board
from c4core.arrays import open_plies
from c4core.book import Book
from c4core.book.verify import verify
from c4core.notation import DEFAULT_BOARD
from db.database import Database
from tests.support.boards.books import source
from tests.support.boards.exhaustive import plies
from tests.support.boards.known_books import check_plies, check_whole_board
from workers.book.build import BookPlan

FIRST_PLAYER_VALUES = {  # ply: won, drawn, lost for the first player, without mirror reduction
    0: (1, 0, 0),
    1: (1, 2, 4),
    2: (27, 12, 10),
    3: (35, 58, 145),
    4: (690, 200, 230),
}


LARGER_BOARDS = [
    ("9x4", "loss"), ("10x4", "loss"), ("8x5", "win"), ("7x6", "win"), ("6x7", "win"),
    ("4x10", "draw"),
]  # fmt: skip
sqlite_alone = pytest.mark.parametrize("rows_url", ["sqlite"], indirect=True)  # few rows


@pytest.mark.parametrize(("board", "value"), LARGER_BOARDS)
def test_value_of_larger_empty_boards(board: str, value: str) -> None:
    width, height = parse_board(board)
    assert Solver().solve(Position(width=width, height=height), weak=True).value == value


def test_the_empty_board() -> None:
    solver = Solver()
    analysis = solver.analyze(Position())
    assert analysis.scores == (-2, -1, 0, 1, 0, -1, -2)
    assert (analysis.score, analysis.best) == (1, (3,))
    # With the same table: every column has been searched.
    line = solver.principal_variation(Position())
    assert len(line) == 41
    assert Position.from_columns(line).winner == "x"


def test_values_per_ply() -> None:
    """Every position of the first plies, counted by its value for the first player."""
    solver = Solver(threads=2, table_mb=256)
    # Last ply first: the others are then found in the table.
    for ply in reversed(FIRST_PLAYER_VALUES):
        assert values_of_ply(solver, ply) == FIRST_PLAYER_VALUES[ply], ply


def values_of_ply(solver: Solver, ply: int) -> tuple[int, int, int]:
    """Numbers of positions of a ply that are won, drawn and lost for the first player."""
    keys = next(islice(plies(), ply, None))
    canonical = next(islice(plies(canonical=True), ply, None))
    batch = solver.solve_many(canonical, weak=True)
    value = np.sign(batch.lower.astype(int) + batch.upper.astype(int)) * (-1 if ply % 2 else 1)
    by_key = dict(zip(canonical.tolist(), value.tolist(), strict=True))
    counts = {1: 0, 0: 0, -1: 0}
    for key in keys.tolist():
        counts[by_key[Position.from_key(key).canonical_key]] += 1
    return counts[1], counts[0], counts[-1]


def test_counts_of_7x6_to_ply_12() -> None:
    counts = [len(keys) for keys in islice(open_plies(Position()), 11, 13)]
    assert counts == [2_148_087, 5_832_236]


def test_the_shipped_book_is_intact() -> None:
    with Book.shipped() as book:
        assert verify(book, sample=0).problems == ()


@sqlite_alone
@pytest.mark.parametrize(("width", "height", "reachable"), [(5, 4, 3_945_711), (4, 5, 1_706_255)])
def test_a_complete_book_of_a_board(
    database: Database, width: int, height: int, reachable: int
) -> None:
    check_whole_board(database, width, height, reachable)


@sqlite_alone
def test_book_to_ply_4(database: Database) -> None:
    check_plies(BookPlan(DEFAULT_BOARD, 4).scored(source(database, table_mb=256)))
