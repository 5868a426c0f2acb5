"""The opening books that come with this package."""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Final

from c4core.book.reader import Book

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.notation import BoardSize

SUFFIX: Final = ".c4book"


def open_shipped() -> tuple[Book, ...]:
    """All of them, in the order of their names; none where the package was made without.

    Raises:
        BookError: one is damaged.
        OSError: one cannot be read.
    """
    directory = files("c4core") / "data"
    if not directory.is_dir():
        return ()
    books = []
    for item in sorted(directory.iterdir(), key=lambda item: item.name):
        if item.name.endswith(SUFFIX):
            with as_file(item) as path:
                books.append(Book.open(path))
    return tuple(books)


def deepest(books: Iterable[Book], board: BoardSize) -> Book | None:
    """The one for the empty board of a size that has most plies; None without one."""
    fitting = [book for book in books if book.info.board == board and not book.info.first_ply]
    return max(fitting, key=lambda book: book.info.last_ply, default=None)
