"""Rows of evaluations as plain tuples, the form for bulk transfer to and from the driver.

The columns of :class:`db.models.Evaluation` determine the queries, the encoding and the decoding.
:class:`StoredEvaluation` has a field of the same name for each.

Tuples are faster than ORM objects and dictionaries. Measured with SQLite: 248,000 upserts/s against
104,000 with dictionaries, and 24 microseconds for a single lookup against 190 through the ORM. For
the same reason SQLAlchemy only writes the SQL of a :class:`DriverQuery`, and its connections and
rows are bypassed. Measured with PostgreSQL: 30,000 single lookups a second against 12,000, and
190,000 keys against 90,000 in batches of a hundred.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from functools import cache
from itertools import count, repeat
from operator import add, itemgetter
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import type_coerce

from c4core.notation import MAX_BITS
from c4core.version import ENGINE_VERSION
from db.models import Evaluation
from db.records.evaluations import StoredEvaluation
from db.sql import Converted, driver_dialect, driver_type, stored_halves

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from sqlalchemy import ColumnElement, Connection, Select

    from c4core.notation import BoardSize

ColumnValues = tuple[Any, ...]
"""A row in the driver's form, in the order of COLUMN_NAMES."""

STORED: Final = list(Evaluation.__table__.columns)
"""The columns of a row; the rest of this module follows from them."""

# In the order of the table's columns, which is also the order of a compiled INSERT.
COLUMN_NAMES: Final = tuple(column.name for column in STORED)

COLUMNS: Final[tuple[ColumnElement[Any], ...]] = tuple(
    type_coerce(column, driver_type(column)).label(column.name) for column in STORED
)
"""The columns to select for :func:`decode`, in their stored form."""

_HIGH: Final = COLUMN_NAMES.index("key_high")
_LOW: Final = COLUMN_NAMES.index("key")

KEY: Final = (COLUMNS[_HIGH], COLUMNS[_LOW])
"""The stored halves of the key, in the order of keys."""

PLACE: Final = tuple(
    COLUMNS[COLUMN_NAMES.index(column.name)] for column in Evaluation.__table__.primary_key
)
"""The columns that identify a row; they are also the first ones."""

_CONVERTED: Final = [
    (place, column.type)
    for place, column in enumerate(STORED)
    if isinstance(column.type, Converted)
]
"""Indexes and types of columns that are converted; if NULL is allowed, their types accept None."""

_LOADED: Final = [(place, kind.load) for place, kind in _CONVERTED if place != _HIGH]

_load_high: Final = dict(_CONVERTED)[_HIGH].load
_load_low: Final = dict(_CONVERTED)[_LOW].load

_FEW: Final = 5
"""Fewer rows than this are decoded one by one."""

_in_order_of_fields: Final = itemgetter(*map(COLUMN_NAMES.index, StoredEvaluation._fields))

_stream_numbers: Final = count()


def decode_known(rows: Collection[ColumnValues]) -> list[StoredEvaluation]:
    """Decode the rows that count as known: rows of this engine version.

    The version changes when older results are in doubt, and all results of a job come from one
    version.
    """
    return [row for row in decode(rows) if row.engine_version == ENGINE_VERSION]


def decode(rows: Collection[ColumnValues]) -> list[StoredEvaluation]:
    """Decode rows."""
    # This bypasses StoredEvaluation's own __new__ and decodes many rows column by column, because
    # hundreds of thousands a second are streamed.
    if len(rows) < _FEW:
        return [_decode_one(row) for row in rows]
    columns: list[Any] = list(zip(*rows, strict=False))
    for place, load in _LOADED:
        columns[place] = map(load, columns[place])
    if any(columns[_HIGH]):
        columns[_LOW] = map(add, columns[_LOW], map(_load_high, columns[_HIGH]))
    values = zip(*_in_order_of_fields(columns), strict=False)
    return list(map(tuple.__new__, repeat(StoredEvaluation), values))


def _decode_one(row: ColumnValues) -> StoredEvaluation:
    values = list(row)
    for place, load in _LOADED:
        values[place] = load(values[place])
    if values[_HIGH]:
        values[_LOW] += _load_high(values[_HIGH])
    return tuple.__new__(StoredEvaluation, _in_order_of_fields(values))


def encode(rows: Collection[StoredEvaluation], updated_at: float) -> list[ColumnValues]:
    """Encode rows for the driver; ``updated_at`` (epoch seconds) replaces their times."""
    fields: dict[str, Any] = dict(
        zip(StoredEvaluation._fields, zip(*rows, strict=True), strict=True)
    )
    fields["updated_at"] = repeat(updated_at)
    fields["key_high"], fields["key"] = stored_halves(fields["key"])
    columns = [fields[name] for name in COLUMN_NAMES]
    for place, kind in _CONVERTED:
        if place not in (_HIGH, _LOW):
            columns[place] = map(kind.store, columns[place])
    return list(zip(*columns, strict=False))


@cache
def full_column_bits(board: BoardSize) -> int:
    """The bits of a key that mark full columns: the topmost bit of every column."""
    stride = board.height + 1
    return sum(1 << (column * stride + board.height) for column in range(board.width))


def check_row(row: StoredEvaluation, board: BoardSize, full_bits: int) -> None:
    """Raise ValueError if a row cannot be an evaluation on this board.

    ``full_bits`` is :func:`full_column_bits` of the board.
    """
    if row.width != board.width or row.height != board.height:
        raise ValueError(f"evaluation on {row.width}x{row.height}, not on {board}: {row}")
    if row.key >> MAX_BITS:
        raise ValueError(f"key is not a number of {MAX_BITS} bits: {row}")
    if row.lower > row.upper:
        raise ValueError(f"bounds cross: {row}")
    if row.scores is not None:
        missing = row.scores.count(None)
        # When a game is over, no column can be played, full or not.
        if len(row.scores) != board.width or missing not in (
            (row.key & full_bits).bit_count(),
            board.width,
        ):
            raise ValueError(f"column scores do not match the columns that can be played: {row}")


class DriverQuery:
    """A query that the database's driver runs itself.

    All values of ``query`` must be in the driver's form.
    """

    def __init__(self, query: Select[Any], dialect: str) -> None:
        compiled = query.compile(dialect=driver_dialect(dialect))
        self._text = str(compiled)
        self._fixed = dict(compiled.params)
        # Binary rows contain numbers, not text to parse.
        self._cursor: dict[str, Any] = {} if dialect == "sqlite" else {"binary": True}

    def rows(self, connection: Connection, **parameters: object) -> list[ColumnValues]:
        """Return all rows; the parameters are values of the query's ``bindparam``."""
        return self.rows_of(driver_of(connection), **parameters)

    def rows_of(self, driver: Any, **parameters: object) -> list[ColumnValues]:  # noqa: ANN401
        """Return all rows, as :meth:`rows`, from a connection of the driver itself."""
        cursor = driver.cursor(**self._cursor)
        cursor.execute(self._text, self._fixed | parameters)
        found: list[ColumnValues] = cursor.fetchall()
        return found

    def batches(self, connection: Connection, size: int) -> Iterator[Sequence[ColumnValues]]:
        """Yield all rows, ``size`` at a time, in constant memory, while the transaction is open."""
        # Only a named cursor is on the server. For any other cursor, PostgreSQL sends all rows at
        # once.
        name = {"name": f"c4_{next(_stream_numbers)}"} if self._cursor else {}
        cursor = driver_of(connection).cursor(**name, **self._cursor)
        try:
            cursor.execute(self._text, self._fixed)
            while rows := cursor.fetchmany(size):
                yield rows
        finally:
            # If the caller does not take all rows, the garbage collector runs this. By then the
            # connection may be closed, and the cursor with it.
            with suppress(sqlite3.ProgrammingError):
                cursor.close()


def driver_of(connection: Connection) -> Any:  # noqa: ANN401 - either driver's connection
    """The connection of the driver itself."""
    return connection.connection.driver_connection
