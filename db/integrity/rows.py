"""The integrity check of rows: have their values changed? See :mod:`db.checksums`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import (
    Boolean,
    Double,
    LargeBinary,
    String,
    Text,
    and_,
    cast,
    false,
    func,
    or_,
    select,
    type_coerce,
)

from db.checksums import CHECKSUM, RowChecksum
from db.errors import DamagedValueError
from db.models import Base
from db.types import JsonObject, PackedBytes, as_stored, unpack, unseal_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from sqlalchemy import Column, ColumnElement, Row, Table
    from sqlalchemy.orm import Session

_ROWS: Final = 1_000
"""Rows fetched at a time."""


def row_faults(session: Session) -> Iterator[str]:
    """Say which rows have a wrong checksum, or values of wrong types."""
    for table in Base.metadata.sorted_tables:
        columns = list(table.columns)
        differs = table.c[CHECKSUM].is_distinct_from(RowChecksum(columns))
        wrong = wrong_types(session, columns)
        query = select(*_names(session, table)).where(or_(differs, wrong)).order_by(None)
        for row in _stream(session, query):
            yield f"{_row(table, row)} has changed since it was written: its checksum differs"


def seal_faults(session: Session) -> Iterator[str]:
    """Say which JSON objects and packed bytes have changed since they were stored."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            if isinstance(column.type, JsonObject):
                text = as_stored(session, column)
                yield from _seal_faults(session, table, column, text, _unseal)
            elif isinstance(column.type, PackedBytes):
                data = type_coerce(column, LargeBinary())
                yield from _seal_faults(session, table, column, data, unpack)


def _unseal(stored: str | bytes) -> object:
    """A stored JSON object, which must have its seal."""
    return unseal_stored(stored, needs_seal=True)


def _seal_faults(
    session: Session,
    table: Table,
    column: Column[Any],
    stored: ColumnElement[Any],
    read: Callable[[Any], object],
) -> Iterator[str]:
    query = select(*_names(session, table), stored).where(column.is_not(None))
    for row in _stream(session, query):
        try:
            read(row[-1])
        except DamagedValueError as error:
            yield f"{_row(table, row)}, column {column.name}: {error}"


def wrong_types(session: Session, columns: Sequence[Column[Any]]) -> ColumnElement[bool]:
    """Whether a row has a value of another type than its column's.

    SQLite takes any value in any column. PostgreSQL does not.
    """
    if session.get_bind().dialect.name != "sqlite":
        return false()
    conditions = []
    for column in columns:
        kind = getattr(column.type, "impl", column.type)
        name = "integer"
        for kinds, told in (((Double,), "real"), ((String,), "text"), ((LargeBinary,), "blob")):
            if isinstance(kind, kinds):
                name = told
        differs = func.typeof(column) != name
        conditions.append(and_(column.is_not(None), differs) if column.nullable else differs)
        if isinstance(kind, Boolean):
            conditions.append(cast(column, Text).not_in(["0", "1"]))
    return or_(*conditions)


def _names(session: Session, table: Table) -> list[ColumnElement[Any]]:
    return [as_stored(session, column) for column in table.primary_key]


def _row(table: Table, row: Row[Any]) -> str:
    values = [_decoded(value) for value in row[: len(table.primary_key)]]
    return f"table {table.name}, row {','.join(values)}"


def _decoded(value: object) -> str:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def _stream(session: Session, query: Any) -> Iterator[Row[Any]]:  # noqa: ANN401
    with session.connection().execute(query.execution_options(yield_per=_ROWS)) as found:
        yield from found
