"""Writing evaluations, and reading them by key."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import ARRAY, BigInteger, bindparam, column, func, literal_column, select, true
from sqlalchemy.exc import IntegrityError

from db.clock import now
from db.evaluations.columns import (
    COLUMNS,
    check_row,
    decode,
    encode,
    full_column_bits,
    stored_key,
)
from db.evaluations.driver_query import DriverQuery
from db.evaluations.merging import merge
from db.models import Evaluation
from db.types import KEY_SHIFT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from sqlalchemy import ColumnElement, Connection
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.at_once import AtOnce
    from db.records.evaluations import StoredEvaluation

_LOOKUP_KEYS: Final = 10_000
"""Keys in one query."""

_OF_BOARD: Final = select(*COLUMNS).where(
    Evaluation.width == bindparam("width"), Evaluation.height == bindparam("height")
)


def store(session: Session, board: BoardSize, rows: Sequence[StoredEvaluation]) -> int:
    """Merge rows into what is stored, as :mod:`db.evaluations.merging` says: bounds only tighten.

    Args:
        session: in a write transaction.
        board: the board that all rows are of.
        rows: in any order; a key may occur several times.

    Returns:
        How many rows are new or changed.

    Raises:
        ContradictionError: a row cannot be true together with the stored one. Nothing of this
            call was written; the transaction can go on.
        ValueError: a row is of another board, its bounds cross, or its column scores are
            incomplete. Nothing was written.
    """
    return send(session, board, rows)()


def send(session: Session, board: BoardSize, rows: Sequence[StoredEvaluation]) -> Callable[[], int]:
    """Send rows to the database; the function that is returned merges them, as ``store`` does.

    While a client sends many rows, PostgreSQL waits for it without any limit. So a transaction
    sends its rows before it locks what others need, such as a unit.

    Args:
        session: in a write transaction; the rows are merged in the same one.
        board: the board that all rows are of.
        rows: in any order; a key may occur several times.

    Raises:
        ValueError: as ``store``. Nothing was sent.
    """
    if not rows:
        return lambda: 0
    distinct = _distinct(rows, board)
    updated_at = session.execute(select(now(session))).scalar_one()
    # Sorted: neighbours share pages, and two writers lock rows in the same order.
    values = sorted(encode(row, updated_at) for row in distinct.values())
    connection = session.connection()
    merge_sent = _send(connection, values)

    def merge_all() -> int:
        savepoint = connection.begin_nested()
        try:
            changed = merge_sent()
        except IntegrityError:
            # Only for this error: a full disk has ended the whole transaction, and the savepoint
            # with it.
            savepoint.rollback()
            for key, row in lookup(session, board, list(distinct)).items():
                merge(row, distinct[key])  # raises for the row that the table's check has refused
            raise
        savepoint.commit()
        return changed

    return merge_all


def _distinct(rows: Iterable[StoredEvaluation], board: BoardSize) -> dict[int, StoredEvaluation]:
    """The rows by key, checked; those of the same key merged."""
    full_bits = full_column_bits(board)
    distinct: dict[int, StoredEvaluation] = {}
    for row in rows:
        check_row(row, board, full_bits)
        other = distinct.get(row.key)
        distinct[row.key] = row if other is None else merge(other, row)
    return distinct


def _send(connection: Connection, values: Sequence[Any]) -> Callable[[], int]:
    # A dialect's module compiles its statement when it is imported, so only one is imported.
    if connection.dialect.name == "sqlite":
        from db.evaluations.upsert_sqlite import upsert  # noqa: PLC0415

        return lambda: upsert(connection, values)
    from db.evaluations.upsert_postgresql import send_rows  # noqa: PLC0415

    return send_rows(connection, values)


def lookup(session: Session, board: BoardSize, keys: Sequence[int]) -> dict[int, StoredEvaluation]:
    """What is stored for canonical keys, by key; keys without a row are left out."""
    connection = session.connection()
    dialect = connection.dialect.name
    query = _lookup_query(dialect)
    found: dict[int, StoredEvaluation] = {}
    for start in range(0, len(keys), _LOOKUP_KEYS):
        chosen = keys_parameter(keys[start : start + _LOOKUP_KEYS], dialect)
        rows = query.rows(connection, width=board.width, height=board.height, keys=chosen)
        found.update((row.key, row) for row in decode(rows))
    return found


def find(session: Session, board: BoardSize, key: int) -> StoredEvaluation | None:
    """What is stored for one canonical key, or None."""
    connection = session.connection()
    query = _find_query(connection.dialect.name)
    rows = query.rows(connection, width=board.width, height=board.height, key=key - KEY_SHIFT)
    return decode(rows)[0] if rows else None


def find_at_once(reader: AtOnce, board: BoardSize, key: int) -> StoredEvaluation | None:
    """As :func:`find`, without waiting for others.

    Raises:
        BusyError: it would have to wait.
        StorageError: the database cannot be read.
    """
    query = _find_query("sqlite")
    values = {"width": board.width, "height": board.height, "key": key - KEY_SHIFT}
    rows = reader.read(lambda driver: query.rows_of(driver, **values))
    return decode(rows)[0] if rows else None


def key_among(dialect: str) -> ColumnElement[bool]:
    """The condition that the key is one of the parameter ``keys``, which is a single value.

    One parameter holds all keys: there is no limit on their number, and one statement to prepare.
    """
    if dialect == "sqlite":
        values = func.json_each(bindparam("keys")).table_valued(column("value", BigInteger))
        return stored_key.in_(select(values.c.value))
    return stored_key == func.any(bindparam("keys", type_=ARRAY(BigInteger)))


def keys_parameter(keys: Iterable[int], dialect: str) -> str | list[int]:
    """The value of the parameter ``keys``; sorted, so that neighbours are read together."""
    stored = sorted([key - KEY_SHIFT for key in keys])
    return json.dumps(stored) if dialect == "sqlite" else stored


@cache
def _find_query(dialect: str) -> DriverQuery:
    key = bindparam("key", type_=BigInteger)
    return DriverQuery(_OF_BOARD.where(stored_key == key), dialect)


@cache
def _lookup_query(dialect: str) -> DriverQuery:
    if dialect == "sqlite":
        return DriverQuery(_OF_BOARD.where(key_among(dialect)), dialect)
    # One descent into the index for each key, whatever the statistics say. With `= ANY` and a table
    # just filled, PostgreSQL reads the whole board from a hundred keys on: measured with 40,000
    # rows, 210 microseconds a key, and 3 this way.
    keys = func.unnest(bindparam("keys", type_=ARRAY(BigInteger)))
    wanted = keys.table_valued(column("key", BigInteger), name="wanted").render_derived()
    found = _OF_BOARD.where(stored_key == wanted.c.key).offset(literal_column("0")).lateral("found")
    return DriverQuery(select(*found.c).select_from(wanted.join(found, true())), dialect)
