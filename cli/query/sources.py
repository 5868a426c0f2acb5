"""Where ``c4 query`` looks: the database, or a book."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from c4core.version import ENGINE_VERSION
from db import evaluations
from db.records.evaluations import StoredEvaluation
from workers.books import search

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.book import Book
    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.shell.settings import Settings
    from db.records.evaluations import Cursor, EvaluationFilter, Order
    from db.session import Session


class Source(ABC):
    """Knows evaluations."""

    name: str
    """What an answer's ``source`` says of it."""

    @abstractmethod
    def stream(
        self,
        filters: EvaluationFilter,
        after: Cursor | None = None,
        order: Order = "ply",
        *,
        descending: bool = False,
    ) -> Iterator[StoredEvaluation]:
        """The positions that meet the conditions.

        Args:
            filters: the conditions.
            after: begin behind this place, of the order by ply and key.
            order: by what they are sorted.
            descending: the largest first.
        """

    @abstractmethod
    def count(self, filters: EvaluationFilter) -> int:
        """How many there are."""

    @abstractmethod
    def lookup(self, board: BoardSize, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
        """What is known about positions, by canonical key."""


class DatabaseSource(Source):
    """What the database has stored."""

    name = "db"

    def __init__(self, session: Session) -> None:
        self._session = session

    def stream(
        self,
        filters: EvaluationFilter,
        after: Cursor | None = None,
        order: Order = "ply",
        *,
        descending: bool = False,
    ) -> Iterator[StoredEvaluation]:
        """The positions that meet the conditions."""
        return evaluations.stream(
            self._session, filters, after=after, order=order, descending=descending
        )

    def count(self, filters: EvaluationFilter) -> int:
        """How many there are."""
        return evaluations.count(self._session, filters)

    def lookup(self, board: BoardSize, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
        """What is known about positions, by canonical key."""
        return evaluations.lookup(self._session, board, keys)


class BookSource(Source):
    """What a book has."""

    name = "book"

    def __init__(self, book: Book) -> None:
        self._book = book

    def stream(
        self,
        filters: EvaluationFilter,
        after: Cursor | None = None,
        order: Order = "ply",
        *,
        descending: bool = False,
    ) -> Iterator[StoredEvaluation]:
        """The positions that meet the conditions; always by ply and key."""
        del order, descending
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


class Known(NamedTuple):
    """What is known about a position, and who knows it."""

    row: StoredEvaluation
    source: str


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


def look_up(
    settings: Settings,
    positions: Sequence[Position],
    *,
    book: Book | None,
    ask_database: bool,
) -> dict[int, Known]:
    """What is known about positions, by canonical key: in a book, else in the database.

    A game that is over is known by the rules.

    Args:
        settings: say which database; it is opened only if the book does not know everything.
        positions: of one board; at least one.
        book: for this board, if there is one.
        ask_database: whether the database is asked at all.
    """
    board = positions[0].board
    found = {
        position.canonical_key: Known(_ended(position), "search")
        for position in positions
        if position.is_over
    }
    keys = {position.canonical_key for position in positions}

    def ask(source: Source) -> None:
        rows = source.lookup(board, sorted(keys - found.keys()))
        found.update((key, Known(row, source.name)) for key, row in rows.items())

    if book is not None:
        ask(BookSource(book))
    if ask_database and keys - found.keys():
        with source_of(settings, None) as source:
            ask(source)
    return found


def _ended(position: Position) -> StoredEvaluation:
    """What the rules say of a game that is over; it is never stored."""
    lost = -((position.width * position.height + 2 - position.ply) // 2)
    score = 0 if position.winner is None else lost
    return StoredEvaluation(
        key=position.canonical_key,
        width=position.width,
        height=position.height,
        ply=position.ply,
        lower=score,
        upper=score,
        nodes=0,
        engine_version=ENGINE_VERSION,
    )
