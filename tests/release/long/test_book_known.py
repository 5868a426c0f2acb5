"""Books compared with published figures: the slow ones, which take minutes."""

import pytest

from c4core.book import Book
from c4core.book.verify import verify
from c4core.position import Position
from db.database import Database
from tests.support.boards.books import source
from tests.support.boards.known_books import check_plies, check_whole_board
from workers.book.build import CompleteBook

sqlite_alone = pytest.mark.parametrize("rows_url", ["sqlite"], indirect=True)  # few rows


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
    check_plies(CompleteBook(Position(), 4).scored(source(database, table_mb=256)))
