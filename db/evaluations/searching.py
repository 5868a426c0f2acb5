"""Search stored evaluations: pages, streams, counts and summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    SmallInteger,
    and_,
    case,
    func,
    literal_column,
    select,
    tuple_,
)

from c4core.notation import BoardSize
from db.evaluations.rows import COLUMNS, KEY, PLACE, DriverQuery, decode, decode_known
from db.models import Evaluation
from db.records.evaluations import COSTLY_NODES, Cursor, Page, PlySummary
from db.sql import HighHalf, LowHalf, dialect_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from db.records.evaluations import EvaluationFilter, StoredEvaluation

_STREAM_ROWS: Final = 2_000
"""Number of rows fetched at a time while streaming."""

_OPENS_INDEX: Final[ColumnElement[bool]] = literal_column("ply >= 0")
# Always true. Written out, it makes PostgreSQL use the index of searches; see db.models.

_WIN: Final = Evaluation.lower > 0
_LOSS: Final = Evaluation.upper < 0
_EXACT: Final = Evaluation.lower == Evaluation.upper
_DRAW: Final = and_(Evaluation.lower == 0, Evaluation.upper == 0)
_VALUES: Final = {"win": _WIN, "draw": _DRAW, "loss": _LOSS}


def search(
    session: Session, filters: EvaluationFilter, *, after: Cursor | None = None, limit: int = 100
) -> Page:
    """Return a page of the matching rows, by ply, then by key.

    ``after`` is ``next`` of the previous page, None for the first. The cost of a page does not grow
    with its distance from the first.
    """
    stored = session.connection().execute(_page(session, filters, after, limit + 1)).all()
    rows = decode(stored[:limit])
    more = len(stored) > limit
    return Page(tuple(rows), Cursor(rows[-1].ply, rows[-1].key) if more else None)


def stream(
    session: Session, filters: EvaluationFilter, *, limit: int | None = None
) -> Iterator[StoredEvaluation]:
    """Yield the matching rows by ply, then by key, in constant memory.

    The transaction stays open while the rows are taken.
    """
    connection = session.connection()
    query = DriverQuery(_page(session, filters, None, limit), connection.dialect.name)
    for rows in query.batches(connection, _STREAM_ROWS):
        yield from decode(rows)


def costly(session: Session, board: BoardSize, *, limit: int) -> list[StoredEvaluation]:
    """Return known evaluations that took COSTLY_NODES, the most expensive first."""
    statement = (
        select(*COLUMNS)
        .where(
            Evaluation.width == board.width,
            Evaluation.height == board.height,
            literal_column(f"nodes >= {COSTLY_NODES}"),
        )
        .order_by(Evaluation.nodes.desc())
        .limit(limit)
    )
    return decode_known(session.connection().execute(statement).all())


def count(session: Session, filters: EvaluationFilter) -> int:
    """Return the number of matching rows."""
    query = _matching(select(func.count()), session, filters)
    number: int = session.connection().execute(query).scalar_one()
    return number


def summary(session: Session, board: BoardSize) -> list[PlySummary]:
    """Summarize the stored rows of a board, ply by ply; plies without rows are left out."""
    query = (
        select(
            Evaluation.ply,
            func.count(),
            _number(_EXACT),
            _number(_WIN),
            _number(_DRAW),
            _number(_LOSS),
            _number(Evaluation.scores.is_not(None)),
        )
        .where(Evaluation.width == board.width, Evaluation.height == board.height)
        .group_by(Evaluation.ply)
        .order_by(Evaluation.ply)
    )
    return [PlySummary(*values) for values in session.connection().execute(query)]


def boards(session: Session) -> dict[BoardSize, int]:
    """Return the number of evaluations of each board that has any, in order of size."""
    query = (
        select(Evaluation.width, Evaluation.height, func.count())
        .group_by(Evaluation.width, Evaluation.height)
        .order_by(Evaluation.width, Evaluation.height)
    )
    rows = session.connection().execute(query)
    return {BoardSize(width, height): number for width, height, number in rows}


def _number(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return func.sum(case((condition, 1), else_=0))


def _page(
    session: Session, filters: EvaluationFilter, after: Cursor | None, limit: int | None
) -> Select[Any]:
    """The first matching rows by ply, then by key; all of them if there is no limit."""
    is_sqlite = dialect_of(session) == "sqlite"
    if limit is None or not is_sqlite or filters.has_scores is not None:
        return _ordered(select(*COLUMNS), session, filters, after).limit(limit)
    # Before SQLite checks conditions, it reads each row of the index from the table, unless the
    # index contains all columns of the query. Measured for a score that none of four million rows
    # has: 3.8 s of processor time, against 0.3 s this way.
    places = _ordered(select(*PLACE), session, filters, after).limit(limit).subquery()
    is_place = and_(*(column == places.c[column.name] for column in PLACE))
    rows = select(*COLUMNS).join_from(places, Evaluation, is_place)
    return rows.order_by(Evaluation.ply, *KEY)


def _ordered(
    query: Select[Any], session: Session, filters: EvaluationFilter, after: Cursor | None = None
) -> Select[Any]:
    return _matching(query, session, filters, after).order_by(Evaluation.ply, *KEY)


def _matching(
    query: Select[Any], session: Session, filters: EvaluationFilter, after: Cursor | None = None
) -> Select[Any]:
    """The query for the rows that match the filter."""
    query = query.where(*_conditions(filters), *_first(filters, after))
    return query.where(_OPENS_INDEX) if dialect_of(session) == "postgresql" else query


def _first(filters: EvaluationFilter, after: Cursor | None = None) -> list[ColumnElement[bool]]:
    """The start of the page in the order by ply and key.

    This is one lower bound and not two, because SQLite uses only one of them in the index. With the
    wrong one, a page reads all rows before it (measured: 120 ms instead of 0.2 at 100,000 rows).
    """
    first_ply = filters.min_ply or 0
    if after is not None and after.ply >= first_ply:
        types = (SmallInteger(), BigInteger(), BigInteger())
        halves = (HighHalf.store(after.key), LowHalf.store(after.key))
        place = tuple_(after.ply, *halves, types=types)
        return [tuple_(Evaluation.ply, *KEY) > place]
    return [Evaluation.ply >= first_ply] if first_ply > 0 else []


def _conditions(filters: EvaluationFilter) -> list[ColumnElement[bool]]:
    """The conditions of the filter, except that on the first ply."""
    conditions: list[ColumnElement[bool]] = [
        Evaluation.width == filters.board.width,
        Evaluation.height == filters.board.height,
    ]
    if filters.max_ply is not None:
        conditions.append(Evaluation.ply <= filters.max_ply)
    if filters.min_score is not None:
        conditions.append(Evaluation.lower >= filters.min_score)
    if filters.max_score is not None:
        conditions.append(Evaluation.upper <= filters.max_score)
    if filters.value is not None:
        conditions.append(_VALUES[filters.value])
    if filters.exact is not None:
        conditions.append(_EXACT if filters.exact else Evaluation.lower != Evaluation.upper)
    if filters.has_scores is not None:
        known = Evaluation.scores.is_not(None)
        conditions.append(known if filters.has_scores else Evaluation.scores.is_(None))
    return conditions
