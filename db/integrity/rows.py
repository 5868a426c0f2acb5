"""The integrity check of rows: have their values changed? See :mod:`db.checksums`."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import LargeBinary, select, type_coerce

from db.checksums import has_changed
from db.errors import DamagedValueError
from db.models import Base
from db.types import JsonObject, PackedBytes, as_stored, unpack, unseal_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import Column, ColumnElement, Table
    from sqlalchemy import Row as SelectedRow
    from sqlalchemy.orm import Session

_ROWS: Final = 1_000
"""Rows fetched at a time."""


class Row(NamedTuple):
    """A row that has changed since it was written."""

    name: str
    """For messages."""
    key: tuple[int, ...] | None
    """Its primary key, if that is made of numbers."""
    fault: str


def row_faults(session: Session) -> Iterator[str]:
    """Say which rows have a wrong checksum, or values of wrong types."""
    for table in Base.metadata.sorted_tables:
        for row in changed_rows(session, table):
            yield f"{row.name} {row.fault}"


def changed_rows(session: Session, table: Table) -> Iterator[Row]:
    """The rows of a table with a wrong checksum, or values of wrong types."""
    query = select(*_names(session, table)).where(has_changed(session, table))
    for row in _stream(session, query):
        yield _row(table, row, "has changed since it was written: its checksum differs")


def seal_faults(session: Session) -> Iterator[str]:
    """Say which JSON objects and packed bytes have changed since they were stored."""
    for table in Base.metadata.sorted_tables:
        for column in table.columns:
            for row in broken_seals(session, table, column):
                yield f"{row.name}, column {column.name}: {row.fault}"


def broken_seals(session: Session, table: Table, column: Column[Any]) -> Iterator[Row]:
    """The rows whose JSON object or packed bytes in a column have changed since they were stored.

    Columns of other types have none.
    """
    if isinstance(column.type, JsonObject):
        yield from _broken_seals(session, table, column, as_stored(session, column), _unseal)
    elif isinstance(column.type, PackedBytes):
        data = type_coerce(column, LargeBinary())
        yield from _broken_seals(session, table, column, data, unpack)


def _unseal(stored: str | bytes) -> object:
    """A stored JSON object, which must have its seal."""
    return unseal_stored(stored, needs_seal=True)


def _broken_seals(
    session: Session,
    table: Table,
    column: Column[Any],
    stored: ColumnElement[Any],
    read: Callable[[Any], object],
) -> Iterator[Row]:
    query = select(*_names(session, table), stored).where(column.is_not(None))
    for row in _stream(session, query):
        try:
            read(row[-1])
        except DamagedValueError as error:
            yield _row(table, row, str(error))


def _names(session: Session, table: Table) -> list[ColumnElement[Any]]:
    return [as_stored(session, column) for column in table.primary_key]


def _row(table: Table, row: SelectedRow[Any], fault: str) -> Row:
    values = [_decoded(value) for value in row[: len(table.primary_key)]]
    key = None
    with suppress(ValueError):
        key = tuple(map(int, values))
    return Row(f"table {table.name}, row {','.join(values)}", key, fault)


def _decoded(value: object) -> str:
    return value.decode(errors="backslashreplace") if isinstance(value, bytes) else str(value)


def _stream(session: Session, query: Any) -> Iterator[SelectedRow[Any]]:  # noqa: ANN401
    with session.connection().execute(query.execution_options(yield_per=_ROWS)) as found:
        yield from found
