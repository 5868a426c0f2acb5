"""Where ``c4 query`` looks: the database, or a book."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING

from db import evaluations
from workers.books import search

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.book import Book
    from c4core.notation import BoardSize
    from cli.shell.settings import Settings
    from db.evaluation_rows import Cursor, EvaluationFilter, StoredEvaluation
    from db.session import Session


class Source(ABC):
    """Knows evaluations. All rows come by ply and canonical key."""

    @abstractmethod
    def stream(self, filters: EvaluationFilter, after: Cursor | None) -> Iterator[StoredEvaluation]:
        """The positions that meet the conditions."""

    @abstractmethod
    def count(self, filters: EvaluationFilter) -> int:
        """How many there are."""

    @abstractmethod
    def lookup(self, board: BoardSize, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
        """What is known about positions, by canonical key."""


class DatabaseSource(Source):
    """What the database has stored."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def stream(self, filters: EvaluationFilter, after: Cursor | None) -> Iterator[StoredEvaluation]:
        """The positions that meet the conditions."""
        return evaluations.stream(self._session, filters, after=after)

    def count(self, filters: EvaluationFilter) -> int:
        """How many there are."""
        return evaluations.count(self._session, filters)

    def lookup(self, board: BoardSize, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
        """What is known about positions, by canonical key."""
        return evaluations.lookup(self._session, board, keys)


class BookSource(Source):
    """What a book has."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def stream(self, filters: EvaluationFilter, after: Cursor | None) -> Iterator[StoredEvaluation]:
        """The positions that meet the conditions."""
        return search.stream(self._book, filters, after)

    def count(self, filters: EvaluationFilter) -> int:
        """How many there are."""
        return search.count(self._book, filters)

    def lookup(
        self,
        board: BoardSize,  # noqa: ARG002  (the book's own)
        keys: Sequence[int],
    ) -> dict[int, StoredEvaluation]:
        """What is known about positions, by canonical key."""
        return search.lookup(self._book, keys)


@contextmanager
def source_of(settings: Settings, book: Book | None) -> Iterator[Source]:
    """A book if there is one, else the database.

    Args:
        settings: say which database.
        book: is closed at the end.
    """
    if book is not None:
        with book:
            yield BookSource(book)
        return
    with settings.open_database() as database, database.read() as session:
        yield DatabaseSource(session)
