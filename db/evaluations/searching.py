"""Search stored evaluations: pages, streams, counts and summaries."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    SmallInteger,
    and_,
    case,
    desc,
    func,
    literal_column,
    select,
    tuple_,
)

from c4core.notation import MAX_BITS, BoardSize
from db.database import Database
from db.evaluations.rows import COLUMNS, KEY, PLACE, DriverQuery, decode, decode_known
from db.evaluations.storing import LOOKUP_KEYS, keys_parameters, lookup_query, query_of_keys
from db.models import Evaluation
from db.records.evaluations import COSTLY_NODES, Cursor, Page, PlySummary
from db.sql import dialect_of
from db.types import KEY_SHIFT, HighHalf, LowHalf

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from db.records.evaluations import EvaluationFilter, Order, StoredEvaluation

_STREAM_ROWS: Final = 2_000
"""Number of rows fetched at a time while streaming."""

_OPENS_INDEX: Final[ColumnElement[bool]] = literal_column("ply >= 0")
# Always true. Written out, it makes PostgreSQL use the index of searches; see db.models.

_WIN: Final = Evaluation.lower > 0
_LOSS: Final = Evaluation.upper < 0
_EXACT: Final = Evaluation.lower == Evaluation.upper
_DRAW: Final = and_(Evaluation.lower == 0, Evaluation.upper == 0)
_ORDERS: Final = {
    "ply": (Evaluation.ply,),
    "score": (Evaluation.lower, Evaluation.upper),
    "nodes": (Evaluation.nodes,),
    "updated": (Evaluation.updated_at,),
}
_VALUES: Final = {"win": _WIN, "draw": _DRAW, "loss": _LOSS}


@contextmanager
def _session_of(source: Session | Database) -> Iterator[Session]:
    """A session as it is, or a read transaction of a database."""
    if not isinstance(source, Database):
        yield source
        return
    with source.read() as session:
        yield session


def search(
    source: Session | Database,
    filters: EvaluationFilter,
    *,
    after: Cursor | None = None,
    limit: int = 100,
) -> Page:
    """Return a page of the matching rows, by ply, then by key.

    ``source`` is a session, or a database, which is read in a transaction of its own. ``after`` is
    ``next`` of the previous page, None for the first. The cost of a page does not grow with its
    distance from the first.
    """
    with _session_of(source) as session:
        if filters.keys is None:
            query = _page(session, filters, after, limit + 1)
            stored = session.connection().execute(query).all()
            rows, more = decode(stored[:limit]), len(stored) > limit
        else:
            found = list(stream(session, filters, after=after, limit=limit + 1))
            rows, more = found[:limit], len(found) > limit
    return Page(tuple(rows), Cursor(rows[-1].ply, rows[-1].key) if more else None)


def stream(
    source: Session | Database,
    filters: EvaluationFilter,
    *,
    after: Cursor | None = None,
    order: Order = "ply",
    descending: bool = False,
    limit: int | None = None,
) -> Iterator[StoredEvaluation]:
    """Yield all matching rows in constant memory; a filter by keys takes 40 bytes for each key.

    ``source`` is as in :func:`search`. The transaction stays open while the rows are taken. The
    rows begin after ``after``, a place in the order by ply and key. With a limit, the database
    sorts no more rows than that.
    """
    with _session_of(source) as session:
        connection = session.connection()
        dialect = connection.dialect.name
        if filters.keys is not None:
            places = _places_of_keys(session, filters, after, order, descending=descending)
            query = lookup_query(dialect)
            for keys in _parts(places[:limit], _STREAM_ROWS):
                of_keys = keys_parameters(keys, dialect)
                rows_of_keys = query.rows(connection, **filters.board._asdict(), **of_keys)
                found = {row.key: row for row in decode(rows_of_keys)}
                yield from [found[key] for key in keys]
            return
        if order != "ply" or descending:
            columns = (desc(what) if descending else what for what in _ORDERS[order])
            statement = select(*COLUMNS).order_by(*columns)
            statement = _ordered(statement, session, filters, after).limit(limit)
        else:
            statement = _page(session, filters, after, limit)
        for rows in DriverQuery(statement, dialect).batches(connection, _STREAM_ROWS):
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


def count(source: Session | Database, filters: EvaluationFilter) -> int:
    """Return the number of matching rows; ``source`` is as in :func:`search`."""
    with _session_of(source) as session:
        if filters.keys is not None:
            return len(_places_of_keys(session, filters))
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


def _places_of_keys(
    session: Session,
    filters: EvaluationFilter,
    after: Cursor | None = None,
    order: Order = "ply",
    *,
    descending: bool = False,
) -> NDArray[np.uint64]:
    """The keys of the filter that have a matching row, sorted, in the same form.

    They are looked up in batches and sorted here, because a query for a million keys takes hundreds
    of megabytes.
    """
    import numpy as np  # noqa: PLC0415 - other queries do not need it

    connection = session.connection()
    conditions = [*_conditions(filters), *_first(filters, after)]
    by = _ORDERS[order]
    columns: list[ColumnElement[Any]] = [
        what.label(f"by_{number}") for number, what in enumerate(by)
    ]
    columns += [Evaluation.ply.label("ply"), *KEY]
    query = query_of_keys(columns, conditions, connection.dialect.name)
    layout = [(f"by_{number}", "f8") for number in range(len(by))]
    layout += [("ply", "i2"), ("key_high", "i8"), ("key", "i8")]
    parts = [np.empty(0, layout)]
    for keys in _parts(() if filters.keys is None else filters.keys, LOOKUP_KEYS):
        of_keys = keys_parameters(keys, connection.dialect.name)
        rows = connection.execute(query, {**filters.board._asdict(), **of_keys})
        parts.append(np.fromiter(map(tuple, rows), layout))
    found = np.concatenate(parts)
    sign = -1 if descending else 1
    values = [sign * found[f"by_{number}"] for number in range(len(by))]
    halves = [found["key"], *([found["key_high"]] if found["key_high"].any() else [])]
    places = np.lexsort((*halves, found["ply"], *reversed(values)))
    low = found["key"][places].astype(np.uint64) + np.uint64(KEY_SHIFT)
    if len(halves) == 1:
        return low
    return np.stack([low, found["key_high"][places].astype(np.uint64)], axis=1)


def _parts(keys: Sequence[int] | NDArray[np.uint64], size: int) -> Iterator[list[int]]:
    for start in range(0, len(keys), size):
        some: Any = keys[start : start + size]
        if getattr(some, "ndim", 1) == 1:
            yield [int(key) for key in some]
        else:
            yield [int(low) | int(high) << MAX_BITS // 2 for low, high in some]


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
    query: Select[Any], session: Session, filters: EvaluationFilter, after: Cursor | None
) -> Select[Any]:
    return _matching(query, session, filters, after).order_by(Evaluation.ply, *KEY)


def _matching(
    query: Select[Any], session: Session, filters: EvaluationFilter, after: Cursor | None = None
) -> Select[Any]:
    """The query for the rows that match the filter, which has no keys."""
    query = query.where(*_conditions(filters), *_first(filters, after))
    return query.where(_OPENS_INDEX) if dialect_of(session) == "postgresql" else query


def _first(filters: EvaluationFilter, after: Cursor | None) -> list[ColumnElement[bool]]:
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
    """The conditions of the filter, except those on the first ply and on the keys."""
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
