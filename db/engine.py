"""Engines: how connections are made, and how their transactions begin."""

from __future__ import annotations

import random
import sqlite3
import time
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import create_engine, event
from sqlalchemy.exc import OperationalError

if TYPE_CHECKING:
    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection

BUSY_SECONDS: Final = 60.0
"""How long a writer waits for its turn before it gives up."""

_POLL_SECONDS: Final = 1.0
# SQLite waits this long inside one call, deaf to Ctrl-C; the loop around it does the rest.

_CONNECT_SECONDS: Final = "10"

_WRITES: Final = "c4_writes"
# Execution option: the transactions of this engine write.

_CONNECTION_PRAGMAS: Final = (
    "PRAGMA foreign_keys = ON",
    # With WAL, NORMAL loses no committed transaction when the process dies, and never the
    # database; a power cut may lose the last transactions, which are solved again.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -65536",  # 64 MiB: random keys touch every page of the table
)


def make_engine(url: URL) -> Engine:
    """An engine whose transactions are those of :func:`writing` and :func:`reading`."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": _POLL_SECONDS}, hide_parameters=True)
        event.listen(engine, "connect", _prepare_sqlite_connection)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    defaults = {"connect_timeout": _CONNECT_SECONDS, "application_name": "c4"}
    missing = {name: value for name, value in defaults.items() if name not in url.query}
    return create_engine(
        url.update_query_dict(missing),
        hide_parameters=True,
        pool_pre_ping=True,  # a server that was restarted costs nobody an error
        pool_size=8,
        max_overflow=-1,  # callers are threads, and bound by their number
    )


def writing(engine: Engine) -> Engine:
    """The engine with write transactions: IMMEDIATE in SQLite, READ COMMITTED in PostgreSQL."""
    return engine.execution_options(**{_WRITES: True})


def reading(engine: Engine) -> Engine:
    """The engine with transactions that see one state of the database and cannot write."""
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _prepare_sqlite_connection(connection: DBAPIConnection, record: object) -> None:
    """SQLite's side of a new connection; BEGIN is taken out of the driver's hands."""
    del record
    # The driver would begin deferred, and only at the first write: measured, 175 of 800
    # transactions were lost to "database is locked" that way, and none with BEGIN IMMEDIATE.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in _CONNECTION_PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """BEGIN, or for a writer its turn: IMMEDIATE, tried until BUSY_SECONDS have passed."""
    writes = bool(connection.get_execution_options().get(_WRITES))
    _set_query_only(connection, wanted=not writes)
    if not writes:
        connection.exec_driver_sql("BEGIN")
        return
    deadline = time.monotonic() + BUSY_SECONDS
    pause = 0.001
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except OperationalError as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            # Jitter: writers that were refused together must not come back together.
            time.sleep(random.uniform(0, pause))  # noqa: S311 - no secret
            pause = min(2 * pause, 0.1)
        else:
            return


def _set_query_only(connection: Connection, *, wanted: bool) -> None:
    """Let SQLite refuse writes in a read transaction, as PostgreSQL does. Cheap: rarely changes."""
    info: dict[str, Any] = connection.info
    if info.get("query_only") is not wanted:
        connection.exec_driver_sql(
            "PRAGMA query_only = ON" if wanted else "PRAGMA query_only = OFF"
        )
        info["query_only"] = wanted


def _is_busy(error: OperationalError) -> bool:
    code: int = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code & 0xFF == sqlite3.SQLITE_BUSY
