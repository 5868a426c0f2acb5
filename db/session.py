"""Sessions and write transactions, for those who write no SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from sqlalchemy import event, func, select
from sqlalchemy.orm import Session

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Session", "Writer", "after_commit", "limit_waiting"]

T = TypeVar("T")


class Writer(Protocol):
    """Runs write transactions: a database, or an object that retries while its database is away."""

    def run(self, work: Callable[[Session], T]) -> T:
        """As ``Database.run``."""


def after_commit(session: Session, call: Callable[[], object]) -> None:
    """Call something as soon as the session's transaction is committed, and only then.

    This is for a process's own memory of the database: a transaction may be rolled back at any
    point, even at its commit, and then ``Database.run`` does all of it again.

    Args:
        session: in a transaction.
        call: what to do; it must not use the session.
    """
    event.listen(session, "after_commit", lambda _session: call(), once=True)


def limit_waiting(session: Session, seconds: float) -> None:
    """Let no statement of the transaction wait longer than this for rows that others have locked.

    After that it raises BusyError. SQLite locks no rows, so there it changes nothing.
    """
    if session.connection().dialect.name == "postgresql":
        milliseconds = f"{max(1, round(1000 * seconds))}ms"
        session.execute(select(func.set_config("lock_timeout", milliseconds, True)))
