"""The file of a book: its name, finding it again, and writing it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from c4core.book import Book
from c4core.book.writer import write_book
from c4core.errors import BookError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.book.layout import BookInfo
    from c4core.position import Position
    from workers.books.build import CompleteBook, Level
    from workers.books.sparse import SparseBook
    from workers.books.task import Choice

SUFFIX: Final = ".c4book"


def default_name(start: Position, plies: int, choice: Choice | None = None) -> str:
    """The default name of a book's file."""
    parts = ["c4", str(start.board), *([f"from{start.key}"] if start.ply else []), f"ply{plies}"]
    if choice is not None:
        parts.append(f"within{choice.within}-{choice.sides}")
    return "-".join(parts) + SUFFIX


def is_book_of(path: str, start: Position, plies: int, choice: Choice | None = None) -> bool:
    """Whether a file is the book of a start up to a ply; any engine may have made it.

    Args:
        path: of the file; a directory or a damaged file is no book.
        start: canonical.
        plies: most stones on the board.
        choice: of a sparse book; None for a complete one.

    Raises:
        OSError: the file cannot be read.
    """
    try:
        with Book.open(path) as book:
            info = book.info
    except BookError:
        return False
    return (info.start, info.last_ply, info.kind == "sparse", info.description) == (
        start,
        plies,
        choice is not None,
        "" if choice is None else str(choice),
    )


def write_scored(book: CompleteBook | SparseBook, levels: Sequence[Level], path: str) -> BookInfo:
    """Write a book whose scores are known; the file appears as a whole or not at all.

    Args:
        book: describes the file.
        levels: its keys and scores, as ``book.scored`` gives them.
        path: of the file.

    Raises:
        OSError: the file cannot be written.
    """
    return write_book(
        Path(os.path.realpath(path)),  # a link stays a link
        levels,
        start=book.start,
        kind=book.kind,
        description=book.description,
    )
