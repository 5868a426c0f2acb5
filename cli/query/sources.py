"""Where ``c4 query`` looks: the database, or a book."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from c4core.evaluation import final_score
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.records.evaluations import StoredEvaluation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from c4core.book import Book
    from c4core.notation import BoardSize
    from c4core.position import Position
    from cli.shell.settings import Settings
    from db.database import Session
    from db.records.evaluations import EvaluationFilter


class Source(NamedTuple):
    """Knows evaluations."""

    name: str
    """What an answer's ``source`` says of it."""
    stream: Callable[..., Iterator[StoredEvaluation]]
    """The positions that meet some conditions; arguments as of :func:`db.evaluations.stream`, but
    for the session."""
    count: Callable[[EvaluationFilter], int]
    """How many of them there are."""
    lookup: Callable[[BoardSize, Sequence[int]], dict[int, StoredEvaluation]]
    """What is known about positions of a board, by canonical key."""


def database_source(session: Session) -> Source:
    """What the database has stored."""
    return Source(
        "db",
        partial(evaluations.stream, session),
        partial(evaluations.count, session),
        partial(evaluations.lookup, session),
    )


def book_source(book: Book) -> Source:
    """What a book has; always in the order of ply and key."""
    from workers.books import search

    return Source(
        "book",
        lambda filters, *, after=None, **_order: search.stream(book, filters, after),
        partial(search.count, book),
        lambda _board, keys: search.lookup(book, keys),
    )


class Known(NamedTuple):
    """What is known about a position, and who knows it."""

    row: StoredEvaluation
    source: str


@contextmanager
def source_of(settings: Settings, book: Book | None) -> Iterator[Source]:
    """A book if there is one, else the database.

    Args:
        settings: say which database.
        book: is closed at the end of the context.
    """
    if book is not None:
        with book:
            yield book_source(book)
        return
    with settings.open_database() as database, database.read() as session:
        yield database_source(session)


def look_up(
    settings: Settings,
    positions: Sequence[Position],
    *,
    book: Book | None,
    ask_database: bool,
) -> dict[int, Known]:
    """What is known about positions, by canonical key: from the rules, a book, or the database.

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
        ask(book_source(book))
    if ask_database and keys - found.keys():
        with source_of(settings, None) as source:
            ask(source)
    return found


def _ended(position: Position) -> StoredEvaluation:
    """What the rules say of a game that is over; it is never stored."""
    score = final_score(position)
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
