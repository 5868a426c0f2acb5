"""Answers from opening books."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from c4core.book import Book
from c4core.errors import BookBoardError, BookError
from c4core.files import check_regular_file
from workers.answers.question import Answer, Question

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.records.jobs import Json


NO_BOOK: Final = ""
"""Used in place of a path: no book, not even the included one."""


def find_book(path: str | None, board: BoardSize) -> Book | None:
    """The book at a path, or the included book if no path is given; None if there is none.

    Raises BookBoardError if the book is for another board, BookError if the file is not a book or
    is damaged, and OSError if it cannot be read.
    """
    if path is None:
        return shipped_book(board)
    if path == NO_BOOK:
        return None
    book = open_book(path)
    if book.info.board != board:
        raise BookBoardError(
            f"{path} is a book for {book.info.board}, but the positions are on {board}", path=path
        )
    return book


def book_of_job(params: Json, board: BoardSize) -> Book | None:
    """The book for the units of a job: ``params["book"]`` is the path for :func:`find_book`.

    A book saves work but changes no score. If it cannot be read, the positions are searched.
    """
    try:
        return find_book(params.get("book"), board)
    except (BookError, OSError):
        return None


def plies_answered(book: Book | None, question: Question) -> range:
    """The plies whose positions a book answers completely; empty if it holds only a selection."""
    if book is None or book.info.kind != "complete" or book.info.start.ply:
        return range(0)
    # The score of a column is the score of a position on the next ply.
    return range(book.info.first_ply, book.info.last_ply + (0 if question.columns else 1))


@lru_cache(maxsize=8)
def open_book(path: str) -> Book:
    """Open the book at a path once, and cache it; errors as in :func:`find_book`."""
    check_regular_file(Path(path))
    return Book.open(path)


@cache
def shipped_book(board: BoardSize) -> Book | None:
    """The deepest included book for a board; None if none is included."""
    return _shipped(board)


def _shipped(board: BoardSize) -> Book | None:
    try:
        return Book.shipped(width=board.width, height=board.height)
    except BookBoardError:
        return None


def answer_from(book: Book, position: Position, question: Question) -> Answer | None:
    """The book's answer, or None if a score that the question needs is not in the book."""
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
    """Best play as far as a book has the scores of all columns, and the position where it ends.

    Among equally good moves it takes the one nearest to the centre, as the engine does.
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
    """All columns from the middle outwards, alternating sides: the engine's order."""
    middle = (width - 1) // 2
    return [middle + ((i + 1) // 2 if i % 2 else -i // 2) for i in range(width)]
