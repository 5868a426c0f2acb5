"""Answers from opening books, instead of a search."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from c4core.book import Book
from c4core.errors import BookBoardError, BookError
from c4core.files import check_plain
from workers.answers.question import Answer, Question

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.records.jobs import Json


NO_BOOK: Final = ""
"""In place of a path: no book, not even the one that comes with the program."""


def find_book(path: str | None, board: BoardSize) -> Book | None:
    """The book that a path names, or else the one that comes with the program, if there is one.

    Args:
        path: a file, ``NO_BOOK``, or None for the default.
        board: that of the positions to look up.

    Raises:
        BookBoardError: the book at this path is for another board.
        BookError: the file is no book, or a damaged one.
        OSError: it cannot be read.
    """
    if path is None:
        return shipped_book(board)
    if path == NO_BOOK:
        return None
    book = open_book(path)
    if book.info.board != board:
        raise BookBoardError(
            f"{path} is a book for {book.info.board}, and the positions are of {board}", path=path
        )
    return book


def book_of_job(params: Json, board: BoardSize) -> Book | None:
    """The book that the units of a job may use: as ``params["book"]`` says to :func:`find_book`.

    A book saves work and changes no score. So if it cannot be read, the positions are searched.
    """
    try:
        return find_book(params.get("book"), board)
    except (BookError, OSError):
        return None


def plies_answered(book: Book | None, question: Question) -> range:
    """The plies whose positions a book answers, every one; none if it has a selection only."""
    if book is None or book.info.kind != "complete" or book.info.start.ply:
        return range(0)
    # The columns of a position are its children.
    return range(book.info.first_ply, book.info.last_ply + (0 if question.columns else 1))


@lru_cache(maxsize=8)
def open_book(path: str) -> Book:
    """The book at a path; it is opened once and kept.

    Raises:
        BookError: the file is no book, or a damaged one.
        OSError: it cannot be read.
    """
    check_plain(Path(path))
    return Book.open(path)


@cache
def shipped_book(board: BoardSize) -> Book | None:
    """The book for a board that comes with the program, the deepest of several; None without one.

    Raises:
        BookError: it is damaged.
        OSError: it cannot be read.
    """
    return _shipped(board)


def _shipped(board: BoardSize) -> Book | None:
    try:
        return Book.shipped(width=board.width, height=board.height)
    except BookBoardError:
        return None


def answer_from(book: Book, position: Position, question: Question) -> Answer | None:
    """A book's answer, or None if it does not know enough.

    Raises:
        BookDamagedError: the file's bytes are wrong there.
    """
    if position.board != book.info.board:
        return None
    score = book.probe(position)
    if score is None:
        return None
    if not question.columns:
        return Answer(score, score, source="book")
    scores = book.scores(position)
    if any(scores[column] is None for column in position.legal_columns()):
        return None
    return Answer(score, score, scores, source="book")


def line_in_book(book: Book | None, position: Position) -> tuple[tuple[int, ...], Position]:
    """Best play as far as a book has all columns' scores, and where it ends.

    Of several best moves it takes the one nearest to the centre, as the engine does.

    Raises:
        BookDamagedError: the file's bytes are wrong at a position of the line.
    """
    line: list[int] = []
    columns = from_centre(position.width)
    while book is not None and not position.is_over:
        answer = answer_from(book, position, Question())
        if answer is None:
            break
        line.append(min(answer.best, key=columns.index))
        position = position.play(line[-1])
    return tuple(line), position


def from_centre(width: int) -> list[int]:
    """All columns, the middle one first, then alternately on both sides: the engine's order."""
    middle = (width - 1) // 2
    return [middle + ((i + 1) // 2 if i % 2 else -i // 2) for i in range(width)]
