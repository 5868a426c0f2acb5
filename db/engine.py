"""Engines: how connections are made, and how their transactions begin."""

from __future__ import annotations

import random
import select
import sqlite3
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import create_engine, event
from sqlalchemy.exc import DisconnectionError, OperationalError

from db.read_only import file_uri, is_read_only

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg
    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

BUSY_SECONDS: Final = 60.0
"""How long a writer waits for its turn before it gives up."""

LARGEST_VALUE: Final = 1 << 26
"""Bytes of a row of SQLite, and so of a value; the next larger one is refused.

A schema that a stranger has sent can compute values from nothing, up to 1 GB each. The largest of
ours is a unit's payload, which keeps the lines of its input: by default up to 1,000 of up to 64 KB.
"""

_POLL_SECONDS: Final = 1.0
# SQLite waits this long inside one call, deaf to Ctrl-C; the loop around it does the rest.

_POSTGRESQL_DEFAULTS: Final = {
    "application_name": "c4",
    "connect_timeout": "10",
    # A network that swallows everything is an error after 8 s, within the time of a worker's lease.
    # Without these a connection waits for a quarter of an hour; and when the network comes back
    # earlier, for almost as long again as it was away: measured, 23 s after 30 s.
    "tcp_user_timeout": "8000",
    "keepalives_idle": "5",
    "keepalives_interval": "1",
    "keepalives_count": "3",
}
"""What libpq is told where the URL does not say otherwise."""

_SERVER_WATCH: Final = (
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3; "
    "SET idle_in_transaction_session_timeout = '30s'"
)
# The other end must notice as well: it holds the locks of a client that was lost in a transaction,
# by default for two hours. (No tcp_user_timeout there: it would end slow readers, too.) A client
# that was stopped answers keepalives all the same; its transaction ends when it has asked nothing
# for a time that none of ours thinks between two statements. The longest is making the memory of a
# deep job anew: 16 s for a million units.

_NO_IDLE_LIMIT: Final = "SET LOCAL idle_in_transaction_session_timeout = 0"
# A stream may go to somebody who reads it page by page; it locks nothing. Here and not for writers,
# since it costs a round trip, and a unit of work takes more of those.

_WRITES: Final = "c4_writes"
# Execution option: whether the transactions of this engine write.

WRITING: Final = {_WRITES: True}
"""Execution options of an engine or a connection whose transactions write."""

_WAS_USED: Final = "c4_was_used"
# In a connection's info: it comes from the pool.

_CONNECTION_PRAGMAS: Final = (
    # A file that somebody has sent may bring triggers and views: they call nothing but what SQLite
    # holds for harmless.
    "PRAGMA trusted_schema = OFF",
    "PRAGMA foreign_keys = ON",
    # With WAL, NORMAL loses no committed transaction when the process dies, and never the
    # database; a power cut may lose the last transactions, which are solved again.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -65536",  # 64 MiB: random keys touch every page of the table
)


def make_engine(url: URL) -> Engine:
    """An engine for a database; transactions come from :func:`writing` and :func:`reading`."""
    if url.get_backend_name() == "sqlite":
        engine = create_engine(
            url.difference_update_query(url.query),
            connect_args={"timeout": _POLL_SECONDS},
            hide_parameters=True,
            **({"creator": partial(_open_read_only, file_uri(url))} if is_read_only(url) else {}),
        )
        event.listen(engine, "connect", _prepare_sqlite_connection)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    missing = {name: text for name, text in _POSTGRESQL_DEFAULTS.items() if name not in url.query}
    engine = create_engine(
        url.update_query_dict(missing),
        hide_parameters=True,
        pool_size=8,
        max_overflow=-1,  # callers are threads, and bound by their number
    )
    event.listen(engine, "connect", _let_server_watch)
    event.listen(engine, "checkout", _refuse_closed)
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def writing(engine: Engine) -> Engine:
    """The engine with write transactions: IMMEDIATE in SQLite, READ COMMITTED in PostgreSQL."""
    return engine.execution_options(**WRITING)


def reading(engine: Engine) -> Engine:
    """The engine with transactions that see one state of the database and cannot write."""
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(
        isolation_level="REPEATABLE READ", postgresql_readonly=True, **{_WRITES: False}
    )


def _open_read_only(uri: str) -> sqlite3.Connection:
    # As SQLAlchemy does it: its pool sees to it that one thread at a time has the connection.
    return sqlite3.connect(uri, uri=True, timeout=_POLL_SECONDS, check_same_thread=False)


def _let_server_watch(connection: DBAPIConnection, record: object) -> None:
    """Let the server find out when a new connection's client has vanished or stands still."""
    del record
    driver = cast("psycopg.Connection[Any]", connection)
    autocommit, driver.autocommit = driver.autocommit, True
    driver.execute(_SERVER_WATCH)
    driver.autocommit = autocommit


def _refuse_closed(connection: DBAPIConnection, record: ConnectionPoolEntry, proxy: object) -> None:
    """Let the pool replace a connection that the server has closed: it was restarted, say.

    A server says nothing unasked but goodbye. So it is enough to see whether there is something to
    read; SQLAlchemy's own way (``pool_pre_ping``) costs every transaction a round trip.
    """
    del proxy
    if not record.info.get(_WAS_USED):  # it was made this moment
        record.info[_WAS_USED] = True
        return
    driver = cast("psycopg.Connection[Any]", connection)
    if driver.closed:
        raise DisconnectionError
    poll = select.poll()
    poll.register(driver.fileno(), select.POLLIN)
    if poll.poll(0):
        raise DisconnectionError


def _prepare_sqlite_connection(connection: DBAPIConnection, record: object) -> None:
    """SQLite's side of a new connection; BEGIN is taken out of the driver's hands."""
    del record
    # Before anything is read: the schema itself may be a stranger's.
    cast("sqlite3.Connection", connection).setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST_VALUE)
    # The driver would begin deferred, and only at the first write: measured, 175 of 800
    # transactions were lost to "database is locked" that way, and none with BEGIN IMMEDIATE.
    connection.isolation_level = None
    cursor = connection.cursor()
    try:
        for pragma in _CONNECTION_PRAGMAS:
            cursor.execute(pragma)
    except UnicodeDecodeError:  # of the message about a schema whose names are damaged
        error = sqlite3.DatabaseError("database disk image is malformed")
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error from None
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    """BEGIN, or for a writer its turn: IMMEDIATE, tried until BUSY_SECONDS have passed."""
    writes = bool(connection.get_execution_options().get(_WRITES))
    _set_query_only(connection, wanted=not writes)
    if not writes:
        connection.exec_driver_sql("BEGIN")
        return
    patiently(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"))


def patiently(statement: Callable[[], object]) -> None:
    """Run a statement that SQLite may refuse because of other writers, until BUSY_SECONDS passed.

    For those that SQLite refuses at once, however long its own timeout is.

    Raises:
        OperationalError: SQLAlchemy's or the driver's: it was refused to the end, or for another
            reason.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    pause = 0.001
    while True:
        try:
            statement()
        except (OperationalError, sqlite3.OperationalError) as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            # Jitter: writers that were refused together must not come back together.
            time.sleep(random.uniform(0, pause))  # noqa: S311 - no secret
            pause = min(2 * pause, 0.1)
        else:
            return


def _begin_postgresql(connection: Connection) -> None:
    """Let a reader be idle for as long as it wants."""
    if connection.get_execution_options().get(_WRITES) is False:
        connection.exec_driver_sql(_NO_IDLE_LIMIT)


def _set_query_only(connection: Connection, *, wanted: bool) -> None:
    """Let SQLite refuse writes in a read transaction, as PostgreSQL does. Cheap: rarely changes."""
    info: dict[str, Any] = connection.info
    if info.get("query_only") is not wanted:
        connection.exec_driver_sql(
            "PRAGMA query_only = ON" if wanted else "PRAGMA query_only = OFF"
        )
        info["query_only"] = wanted


def _is_busy(error: OperationalError | sqlite3.OperationalError) -> bool:
    of_driver = error.orig if isinstance(error, OperationalError) else error
    code: int = getattr(of_driver, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code & 0xFF == sqlite3.SQLITE_BUSY
