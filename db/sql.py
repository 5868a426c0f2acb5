"""SQL that the two databases spell differently: the time, INSERT with ON CONFLICT, parameters."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from sqlalchemy import Double, literal
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import ColumnElement, Dialect
    from sqlalchemy.orm import DeclarativeBase, Session
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.sql.elements import SQLCoreOperations

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
