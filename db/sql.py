"""SQL that the two databases spell differently, and column types that convert values."""

from __future__ import annotations

import json
import zlib
from array import array
from functools import cache, lru_cache, partial
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import BigInteger, Double, LargeBinary, Text, literal
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeDecorator

from c4core.notation import MAX_BITS
from db.errors import DamagedValueError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from sqlalchemy import ColumnElement, Dialect
    from sqlalchemy.orm import DeclarativeBase, Session
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.sql.elements import SQLCoreOperations
    from sqlalchemy.types import TypeEngine

CLOCK: Final = "c4_clock"
"""Key in a session's info: a test's clock that replaces the database's."""


class db_now(FunctionElement[float]):  # noqa: N801 - an SQL construct, spelled like a function
    """Epoch seconds on the database's clock, with fractions, when the statement runs."""

    inherit_cache = True
    type = Double()


@compiles(db_now, "sqlite")
def _sqlite_now(element: db_now, compiler: SQLCompiler, **options: object) -> str:
    # unixepoch('subsec') is newer (3.42) than the SQLite of many systems. 2440587.5 is the Julian
    # day of the epoch; a double resolves the difference to about 40 microseconds.
    del element, compiler, options
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(db_now, "postgresql")
def _postgresql_now(element: db_now, compiler: SQLCompiler, **options: object) -> str:
    # now() does not change within a transaction, so a lease would begin in the past.
    # clock_timestamp() changes within a statement, so no index could be used with it.
    del element, compiler, options
    return "CAST(EXTRACT(EPOCH FROM statement_timestamp()) AS DOUBLE PRECISION)"


def seen_within(
    session: Session, seen_at: SQLCoreOperations[float | None], seconds: float
) -> ColumnElement[bool]:
    """The condition that a heartbeat came within the last ``seconds``.

    A heartbeat further in the future than that does not count: the clock was set back since.
    """
    at = now(session)
    return seen_at.between(at - seconds, at + seconds)


def now(session: Session) -> ColumnElement[float]:
    """The time as an SQL expression: the database's clock, or the session's own clock in tests."""
    clock = session.info.get(CLOCK)
    return db_now() if clock is None else literal(clock(), Double())


def dialect_of(session: Session) -> str:
    """Return ``"sqlite"`` or ``"postgresql"``."""
    return session.get_bind().dialect.name


def insert_into(dialect: str, table: type[DeclarativeBase]) -> postgresql.Insert | sqlite.Insert:
    """An INSERT that may have ON CONFLICT, which SQLAlchemy offers only per database."""
    return sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table)


@cache
def driver_dialect(name: str, *, by_name: bool = True) -> Dialect:
    """The dialect that writes SQL for a driver; parameters are named or positional."""
    if name == "sqlite":
        return sqlite.dialect(paramstyle="named" if by_name else "qmark")
    make: Callable[..., Dialect] = psycopg.dialect  # it has no annotations
    return make(paramstyle="pyformat" if by_name else "format")


def is_number(value: int) -> bool:
    """Whether a row may have this number: neither database accepts a larger one in a query."""
    return 0 <= value < 1 << 63


def is_small_number(value: int) -> bool:
    """Whether the value fits a 32-bit column."""
    return 0 <= value < 1 << 31


KEY_SHIFT: Final = 1 << 63
"""Offset of a stored unsigned number: the number is the stored one plus KEY_SHIFT."""

_HALF_BITS: Final = MAX_BITS // 2
_LOW_HALF: Final = (1 << _HALF_BITS) - 1

UNPLAYABLE: Final = -128
"""The stored value of a full column; the same number as in the engine's batches."""

_SHOWN: Final = 60
"""Maximum number of characters of a damaged text that an error shows."""


def driver_type(column: ColumnElement[Any]) -> TypeEngine[Any]:
    """The type of a column for the driver."""
    found: TypeEngine[Any] = getattr(column.type, "impl", column.type)
    return found


class Converted(TypeDecorator[Any]):
    """A type whose values are converted by a function each way; NULL is always None."""

    store: Callable[[Any], Any]
    load: Callable[[Any], Any]
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401
        """Convert Python's value to the column's."""
        del dialect
        return None if value is None else self.store(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401
        """Convert the column's value to Python's."""
        del dialect
        return None if value is None else self.load(value)


class Unsigned(Converted):
    """An unsigned 64-bit number in a signed 64-bit column, in the same order.

    Subtracting 2**63 keeps the order. In two's complement numbers from 2**63 on would come first.
    """

    impl = BigInteger
    cache_ok = True
    store = partial(add, -KEY_SHIFT)
    load = partial(add, KEY_SHIFT)


def _store_low(key: int) -> int:
    return (key & _LOW_HALF) - KEY_SHIFT


def _store_high(key: int) -> int:
    high = key >> _HALF_BITS
    return high if high < KEY_SHIFT else high - (1 << _HALF_BITS)


def _load_high(stored: int) -> int:
    return (stored & _LOW_HALF) << _HALF_BITS


class LowHalf(Converted):
    """The low 64 bits of a position's key, as :class:`Unsigned`.

    A key has two columns. Both are given the complete key, and each stores its half. The sum of
    their loaded values is the key.
    """

    impl = BigInteger
    cache_ok = True
    store = staticmethod(_store_low)
    load = Unsigned.load


class HighHalf(Converted):
    """The high 64 bits of a position's key in two's complement; see :class:`LowHalf`.

    They are 0 on every board of up to 64 bits, which SQLite stores without a byte. Keys are stored
    in their order, except that keys from 2**127 on, of boards of exactly 128 bits, come first.
    """

    impl = BigInteger
    cache_ok = True
    store = staticmethod(_store_high)
    load = staticmethod(_load_high)


def stored_halves(keys: Collection[int]) -> tuple[Iterable[int], Iterable[int]]:
    """The high and the low halves of keys as their columns store them."""
    if max(keys, default=0) <= _LOW_HALF:  # twice as fast, and true for most boards
        return repeat(0, len(keys)), map(Unsigned.store, keys)
    return map(_store_high, keys), map(_store_low, keys)


def _parse(text: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError):
        shown = ascii(text)[:_SHOWN]
        raise DamagedValueError(f"a stored JSON text is damaged: {shown}") from None


class JsonText(Converted):
    r"""JSON as text, byte for byte the same in every database.

    It is not PostgreSQL's JSON, because no SQL reads it. Only text preserves what users send:
    ``json`` refuses NaN, ``jsonb`` reorders fields and refuses ``\u0000``.
    """

    impl = Text
    cache_ok = True
    store = json.JSONEncoder(separators=(",", ":")).encode
    load = staticmethod(_parse)


class PlainText(TypeDecorator[str]):
    """Text for users: labels, names, reasons. Characters that a database refuses are replaced.

    These are lone surrogates, which Python creates from bytes that are not UTF-8 on a command line
    or in a file's name; and in PostgreSQL also NUL.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Replace the characters that cannot be stored."""
        del dialect
        if value is None:
            return None
        whole = value.encode(errors="replace").decode()
        return whole.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _pack_scores(scores: tuple[int | None, ...] | None) -> bytes | None:
    if scores is None:
        return None
    return array("b", [UNPLAYABLE if score is None else score for score in scores]).tobytes()


# Column scores repeat: one tuple serves all rows with the same scores.
@lru_cache(maxsize=1 << 14)
def _unpack_scores(data: bytes | None) -> tuple[int | None, ...] | None:
    if data is None:
        return None
    return tuple([None if score == UNPLAYABLE else score for score in array("b", data)])


class ColumnScores(Converted):
    """One signed byte per column, UNPLAYABLE if it is full; both functions accept None."""

    impl = LargeBinary
    cache_ok = True
    store = staticmethod(_pack_scores)
    load = staticmethod(_unpack_scores)


def _decompress(stored: bytes) -> bytes:
    try:
        return zlib.decompress(stored)
    except zlib.error as error:
        raise DamagedValueError(f"stored bytes are damaged: {error}") from None


class PackedBytes(Converted):
    """Bytes, compressed by zlib."""

    impl = LargeBinary
    cache_ok = True
    store = staticmethod(partial(zlib.compress, level=1))
    load = staticmethod(_decompress)
