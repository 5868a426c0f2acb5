"""Engines: they make connections and begin transactions."""

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
from db.urls import PREPARE_THRESHOLD

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
# SQLite waits this long inside one call, where Ctrl-C has no effect; a loop of ours does the rest.

_POSTGRESQL_DEFAULTS: Final = {
    "application_name": "c4",
    "connect_timeout": "10",
    # A dead network is an error after 8 s, within the time of a worker's lease. Without these
    # settings a connection waits for a quarter of an hour; if the network comes back earlier, it
    # waits almost as long again as the network was away: measured, 23 s after 30 s.
    "tcp_user_timeout": "8000",
    "keepalives_idle": "5",
    "keepalives_interval": "1",
    "keepalives_count": "3",
}
"""What libpq is told where the URL does not say otherwise."""

_SERVER_WATCH: Final = (
    "SELECT set_config('tcp_keepalives_idle', '5', false), "
    "set_config('tcp_keepalives_interval', '1', false), "
    "set_config('tcp_keepalives_count', '3', false) WHERE pg_backend_pid() = {pid}"
)
# The server must notice as well: it holds the locks of a client that was lost in a transaction, by
# default for two hours. (No tcp_user_timeout there: it would end slow readers, too.)
#
# A pooler tells its clients process numbers of its own, which makes the condition false. What is
# set for a session, or prepared in it, would be found by the pooler's next client, and be missing
# in the session that this client gets next.

_BEGIN_POSTGRESQL: Final = {
    # A stopped client still answers keepalives, so its transaction ends after an idle time. None of
    # our transactions is idle for so long: the longest pause, while a deep job's memory is made
    # anew, is 16 s for a million units.
    True: "BEGIN ISOLATION LEVEL READ COMMITTED; "
    "SET LOCAL idle_in_transaction_session_timeout = '30s'",
    # A reader may stream to somebody who pages through the rows; it locks little.
    False: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
    "SET LOCAL idle_in_transaction_session_timeout = 0",
}
"""How a transaction begins that writes, or does not: in one round trip, and set for it alone."""

_READ_REVISION: Final = "SELECT version_num FROM alembic_version"
# In PostgreSQL it is sent with BEGIN, so it costs no round trip.

_WRITES: Final = "c4_writes"
# Execution option: whether the transactions of this engine write.

_TELLS_REVISION: Final = "c4_tells_revision"
# Execution option: whether each transaction begins by reading the schema's revision.

REVISION: Final = "c4_revision"
"""In a connection's info: the schema's revision, as its transaction has found it at its beginning.
"""

WRITING: Final = {_WRITES: True}
"""Execution options of an engine or a connection whose transactions write."""

_WAS_USED: Final = "c4_was_used"
# In a connection's info: the connection has been in the pool.

_CONNECTION_PRAGMAS: Final = (
    # A file that somebody has sent may bring triggers and views. They may only call functions that
    # SQLite considers harmless.
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
    threshold = url.query.get(PREPARE_THRESHOLD)
    engine = create_engine(
        url.update_query_dict(missing).difference_update_query([PREPARE_THRESHOLD]),
        connect_args={} if threshold is None else {PREPARE_THRESHOLD: int(str(threshold)) or None},
        hide_parameters=True,
        isolation_level="AUTOCOMMIT",  # BEGIN is ours to send, see _begin_postgresql
        pool_size=8,
        max_overflow=-1,  # every caller is a thread, so their number is the limit
    )
    event.listen(engine, "connect", partial(_let_server_watch, may_prepare=threshold is not None))
    event.listen(engine, "checkout", _refuse_closed)
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def writing(engine: Engine) -> Engine:
    """The engine with write transactions: IMMEDIATE in SQLite, READ COMMITTED in PostgreSQL.

    They tell the schema's REVISION, and so do those of :func:`reading`. No migration changes it in
    PostgreSQL until they end: it locks the table first.
    """
    return engine.execution_options(**WRITING, **{_TELLS_REVISION: True})


def reading(engine: Engine, *, tells_revision: bool = True) -> Engine:
    """The engine with transactions that see one state of the database and cannot write.

    Args:
        engine: as it was made.
        tells_revision: False for a database that may have no schema yet.
    """
    return engine.execution_options(**{_WRITES: False, _TELLS_REVISION: tells_revision})


def _open_read_only(uri: str) -> sqlite3.Connection:
    # As SQLAlchemy does it: its pool gives a connection to one thread at a time.
    return sqlite3.connect(uri, uri=True, timeout=_POLL_SECONDS, check_same_thread=False)


def _let_server_watch(connection: DBAPIConnection, record: object, *, may_prepare: bool) -> None:
    """Let the server detect that the client of a new connection has vanished.

    Args:
        connection: a new one.
        record: the pool's.
        may_prepare: statements may be prepared even behind a pooler; the URL says so.
    """
    del record
    driver = cast("psycopg.Connection[Any]", connection)
    watch = _SERVER_WATCH.format(pid=driver.info.backend_pid)
    is_direct = driver.execute(watch).fetchone() is not None
    if not is_direct and not may_prepare:
        driver.prepare_threshold = None


def _refuse_closed(connection: DBAPIConnection, record: ConnectionPoolEntry, proxy: object) -> None:
    """Let the pool replace a connection that the server has closed, for instance by a restart.

    The only message that an idle server sends is that it closes. So it is enough to see whether
    there is something to read; SQLAlchemy's ``pool_pre_ping`` costs every transaction a round trip.
    """
    del proxy
    if not record.info.get(_WAS_USED):  # a new connection
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
    """Set up a new connection to SQLite; BEGIN is ours to send, not the driver's."""
    del record
    # Before anything is read: the schema itself may come from a stranger.
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
    """Begin a transaction; that of a writer IMMEDIATE, tried until BUSY_SECONDS have passed."""
    options = connection.get_execution_options()
    writes = bool(options.get(_WRITES))
    _set_query_only(connection, wanted=not writes)
    if writes:
        patiently(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    else:
        connection.exec_driver_sql("BEGIN")
    if options.get(_TELLS_REVISION):
        driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        connection.info[REVISION] = read_revision(driver)


def read_revision(driver: sqlite3.Connection) -> str | None:
    """The revision of the schema of an SQLite file; measured, 5 microseconds."""
    found = driver.execute(_READ_REVISION).fetchone()
    return None if found is None else found[0]


def patiently(statement: Callable[[], object]) -> None:
    """Run a statement that SQLite may refuse because of other writers, until BUSY_SECONDS passed.

    For statements that SQLite refuses at once, however long its own timeout is.

    Raises:
        OperationalError: SQLAlchemy's or the driver's: SQLite refused it until the end, or it
        failed for another reason.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    pause = 0.001
    while True:
        try:
            statement()
        except (OperationalError, sqlite3.OperationalError) as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            # Jitter keeps writers that were refused together from coming back together.
            time.sleep(random.uniform(0, pause))  # noqa: S311 - no secret
            pause = min(2 * pause, 0.1)
        else:
            return


def _begin_postgresql(connection: Connection) -> None:
    """Begin a transaction, and read the schema's revision in the same round trip.

    By default it writes: others have little use for one.
    """
    options = connection.get_execution_options()
    begin = _BEGIN_POSTGRESQL[bool(options.get(_WRITES, True))]
    if not options.get(_TELLS_REVISION):
        connection.exec_driver_sql(begin)
        return
    driver = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
    cursor = driver.execute(f"{begin}; {_READ_REVISION}")
    while cursor.nextset():
        pass
    found = cursor.fetchone()
    connection.info[REVISION] = None if found is None else found[0]


def _set_query_only(connection: Connection, *, wanted: bool) -> None:
    """Let SQLite refuse writes in a read transaction, as PostgreSQL does; it rarely changes."""
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
