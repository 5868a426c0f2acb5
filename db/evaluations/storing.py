"""Write evaluations, and read them by key."""

from __future__ import annotations

import json
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    ARRAY,
    BigInteger,
    and_,
    bindparam,
    cast,
    column,
    delete,
    func,
    literal_column,
    select,
    true,
    tuple_,
)
from sqlalchemy.exc import IntegrityError

from c4core.notation import MAX_BITS
from db.evaluations.merging import merge, send_rows
from db.evaluations.rows import (
    COLUMNS,
    KEY,
    DriverQuery,
    check_row,
    decode,
    decode_known,
    encode,
    full_column_bits,
    is_sound,
    key_of,
)
from db.models import Base, Evaluation
from db.sql import now
from db.types import HighHalf, LowHalf, has_changed, stored_halves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from sqlalchemy import ColumnElement, Select, TableValuedAlias
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.database import NonBlockingReader
    from db.evaluations.rows import ColumnValues
    from db.records.evaluations import StoredEvaluation

LOOKUP_KEYS: Final = 10_000
"""Maximum number of keys in one query."""

_OF_BOARD: Final = select(*COLUMNS).where(
    Evaluation.width == bindparam("width"), Evaluation.height == bindparam("height")
)


def store(session: Session, board: BoardSize, rows: Sequence[StoredEvaluation]) -> int:
    """Merge rows into the stored ones, and return the number of new or changed rows.

    Bounds only tighten: see :mod:`db.evaluations.merging`. The rows are of one board, in any order,
    and a key may occur several times. If a stored row is damaged and the new row contradicts it,
    the new row replaces it.

    Raises:
        ContradictionError: a row contradicts the stored one. Nothing of this call was written; the
            transaction can go on.
        ValueError: a row is of another board, its bounds cross, or its column scores are
            incomplete. Nothing was written.
    """
    return send(session, board, rows)()


def send(session: Session, board: BoardSize, rows: Sequence[StoredEvaluation]) -> Callable[[], int]:
    """Send rows to the database; return a function that merges them, as ``store`` does.

    While a client sends many rows, PostgreSQL waits for it without a limit. A transaction therefore
    sends its rows before it locks rows that others need, such as a unit. Errors are as in
    ``store``.
    """
    if not rows:
        return lambda: 0
    distinct = _distinct(rows, board)
    updated_at = session.execute(select(now(session))).scalar_one()
    # Sorted by key: neighbours share pages, and two writers lock rows in the same order.
    values = encode(sorted(distinct.values()), updated_at)
    connection = session.connection()
    merge_sent = send_rows(connection, values)

    def merge_all() -> int:
        savepoint = connection.begin_nested()
        try:
            changed = merge_sent()
        except IntegrityError:
            # Other errors are not caught here: a full disk has ended the complete transaction, and
            # the savepoint with it.
            savepoint.rollback()
            if drop_damaged(session, board, list(distinct)):
                return send(session, board, rows)()
            for some in _rows(session, board, list(distinct)):
                for row in decode(some):
                    merge(row, distinct[row.key])  # raises for the row that was refused
            raise
        savepoint.commit()
        return changed

    return merge_all


def _distinct(rows: Iterable[StoredEvaluation], board: BoardSize) -> dict[int, StoredEvaluation]:
    """The rows by key, checked; rows of the same key are merged."""
    full_bits = full_column_bits(board)
    distinct: dict[int, StoredEvaluation] = {}
    for row in rows:
        check_row(row, board, full_bits)
        other = distinct.get(row.key)
        distinct[row.key] = row if other is None else merge(other, row)
    return distinct


def drop_damaged(session: Session, board: BoardSize, keys: Sequence[int]) -> int:
    """Delete rows of canonical keys that have changed since they were stored; return the count."""
    connection = session.connection()
    dialect = connection.dialect.name
    of_keys = (
        Evaluation.width == board.width,
        Evaluation.height == board.height,
        key_among(dialect),
    )
    query = select(*COLUMNS, has_changed(session, Base.metadata.tables["evaluations"])).where(
        *of_keys
    )
    damaged = [
        key_of(row)
        for row in connection.execute(query, keys_parameters(keys, dialect))
        if row[-1] or not is_sound(tuple(row[:-1]))
    ]
    if damaged:
        connection.execute(delete(Evaluation).where(*of_keys), keys_parameters(damaged, dialect))
    return len(damaged)


def lookup(session: Session, board: BoardSize, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
    """Look up known evaluations by canonical key; unknown keys are left out.

    An evaluation is known if this version of the engine found it and it is not damaged.
    """
    found: dict[int, StoredEvaluation] = {}
    for rows in _rows(session, board, keys):
        found.update((row.key, row) for row in decode_known(rows))
    return found


def _rows(
    session: Session, board: BoardSize, keys: Sequence[int]
) -> Iterator[Sequence[ColumnValues]]:
    connection = session.connection()
    dialect = connection.dialect.name
    query = lookup_query(dialect)
    for start in range(0, len(keys), LOOKUP_KEYS):
        chosen = keys_parameters(keys[start : start + LOOKUP_KEYS], dialect)
        yield query.rows(connection, width=board.width, height=board.height, **chosen)


def find(session: Session, board: BoardSize, key: int) -> StoredEvaluation | None:
    """Return the known evaluation of a canonical key, as :func:`lookup` defines it, or None."""
    connection = session.connection()
    query = _find_query(connection.dialect.name)
    rows = query.rows(connection, **_place(board, key))
    return next(iter(decode_known(rows)), None)


def find_without_waiting(
    reader: NonBlockingReader, board: BoardSize, key: int
) -> StoredEvaluation | None:
    """Find an evaluation, as :func:`find`, without waiting for other connections.

    Raises:
        BusyError: it would have to wait.
        StorageError: the database cannot be read.
    """
    query = _find_query("sqlite")
    rows = reader.read(lambda driver: query.rows_of(driver, **_place(board, key)))
    return next(iter(decode_known(rows)), None)


def _place(board: BoardSize, key: int) -> dict[str, int]:
    return {
        "width": board.width,
        "height": board.height,
        "key": LowHalf.store(key),
        "key_high": HighHalf.store(key),
    }


def key_among(dialect: str) -> ColumnElement[bool]:
    """The condition that a row's key is among the keys of :func:`keys_parameters`.

    A parameter holds any number of keys, so one prepared statement is enough for all numbers.
    """
    if dialect == "sqlite":
        by_high = func.json_each(bindparam("keys")).table_valued("key", "value", name="by_high")
        low = func.json_each(by_high.c.value).table_valued(
            "value", name="low", joins_implicitly=True
        )
        return tuple_(*KEY).in_(select(cast(by_high.c.key, BigInteger), low.c.value))
    _, halves = _wanted_keys()
    return tuple_(*KEY).in_(select(*halves))


def keys_parameters(keys: Iterable[int], dialect: str) -> dict[str, Any]:
    """The parameters of a query for some keys; sorted, so that neighbours are read together.

    SQLite gets one JSON object, the low halves by their high half. PostgreSQL gets two arrays; an
    empty one stands for high halves that are all 0, and saves an eighth of the client's time.
    """
    ordered = sorted(keys)
    highs, lows = map(list, stored_halves(ordered))
    if dialect != "sqlite":
        return {"keys": lows, "key_highs": highs if any(highs) else []}
    lows_of: dict[int, list[int]] = {}
    start = 0
    while start < len(ordered):
        next_high = (ordered[start] >> MAX_BITS // 2) + 1
        end = bisect_left(ordered, next_high << MAX_BITS // 2, start)
        lows_of[highs[start]] = lows[start:end]
        start = end
    return {"keys": json.dumps(lows_of)}


def _wanted_keys() -> tuple[TableValuedAlias, tuple[ColumnElement[int], ColumnElement[int]]]:
    """The parameters of PostgreSQL as a table, and its columns in the order of KEY."""
    kind = ARRAY(BigInteger)
    arrays = func.unnest(bindparam("key_highs", type_=kind), bindparam("keys", type_=kind))
    columns = (column("key_high", BigInteger), column("key", BigInteger))
    wanted = arrays.table_valued(*columns, name="wanted").render_derived()
    return wanted, (func.coalesce(wanted.c.key_high, 0), wanted.c.key)


@cache
def _find_query(dialect: str) -> DriverQuery:
    is_key = (half == bindparam(half.name, type_=BigInteger) for half in KEY)
    return DriverQuery(_OF_BOARD.where(*is_key), dialect)


@cache
def lookup_query(dialect: str) -> DriverQuery:
    """The query for the rows of keys; for its parameters see :func:`query_of_keys`."""
    return DriverQuery(query_of_keys(COLUMNS, (), dialect), dialect)


def query_of_keys(
    columns: Sequence[ColumnElement[Any]],
    conditions: Sequence[ColumnElement[bool]],
    dialect: str,
) -> Select[Any]:
    """A query for columns of the rows that have one of the keys and meet the conditions.

    Its parameters are ``width``, ``height`` and the result of :func:`keys_parameters`.
    """
    of_board = select(*columns).where(
        Evaluation.width == bindparam("width"),
        Evaluation.height == bindparam("height"),
        *conditions,
    )
    if dialect == "sqlite":
        return of_board.where(key_among(dialect))
    # One descent into the index for each key, independent of the statistics. With `= ANY` and a
    # table that was filled a moment ago, PostgreSQL reads all rows of the board if there are a
    # hundred keys or more. Measured with 40,000 rows: 210 microseconds a key, against 3 this way.
    wanted, halves = _wanted_keys()
    is_wanted = and_(*(half == other for half, other in zip(KEY, halves, strict=True)))
    found = of_board.where(is_wanted).offset(literal_column("0")).lateral("found")
    return select(*found.c).select_from(wanted.join(found, true()))
