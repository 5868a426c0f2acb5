"""The time on the database's clock: those of the machines may differ by an hour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import Double, literal
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session
    from sqlalchemy.sql.compiler import SQLCompiler
    from sqlalchemy.sql.elements import SQLCoreOperations

CLOCK: Final = "c4_clock"
"""Where a session keeps the clock that a test has given instead of the database's."""


class db_now(FunctionElement[float]):  # noqa: N801 - an SQL construct, spelled like a function
    """Epoch seconds on the database's clock, with its fraction, when the statement runs."""

    inherit_cache = True
    type = Double()


@compiles(db_now, "sqlite")
def _sqlite_now(element: db_now, compiler: SQLCompiler, **options: object) -> str:
    # unixepoch('subsec') is newer (3.42) than the SQLite of many systems. 2440587.5 is the Julian
    # day of the epoch; a double resolves the difference to some 40 microseconds.
    del element, compiler, options
    return "((julianday('now') - 2440587.5) * 86400.0)"


@compiles(db_now, "postgresql")
def _postgresql_now(element: db_now, compiler: SQLCompiler, **options: object) -> str:
    # now() would stand still within a transaction, and a lease would begin in the past.
    # clock_timestamp() would change within a statement, and so be of no use to an index.
    del element, compiler, options
    return "CAST(EXTRACT(EPOCH FROM statement_timestamp()) AS DOUBLE PRECISION)"


def seen_within(
    session: Session, seen_at: SQLCoreOperations[float | None], seconds: float
) -> ColumnElement[bool]:
    """Whether a heartbeat came within the last so many seconds.

    A heartbeat from the future does not count: the clock has been set back since.
    """
    at = now(session)
    return seen_at.between(at - seconds, at + seconds)


def now(session: Session) -> ColumnElement[float]:
    """The time as an SQL expression: the database's, or that of the clock the session was given."""
    clock = session.info.get(CLOCK)
    return db_now() if clock is None else literal(clock(), Double())
