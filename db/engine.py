"""Engines: they make connections and begin transactions. The only module that knows the drivers.

Errors of the drivers never leave this package: :func:`translated` turns them into those of
:mod:`db.errors`.
"""

from __future__ import annotations

import os
import random
import select
import sqlite3
import time
from collections.abc import Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import create_engine, event
from sqlalchemy.exc import DBAPIError, DisconnectionError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from db.errors import (
    BusyError,
    CorruptError,
    DamagedValueError,
    DiskFullError,
    NotADatabaseError,
    ReadOnlyError,
    RefusedValueError,
    StorageError,
    UnreachableError,
)
from db.sqlite_files import file_uri, is_read_only
from db.urls import PREPARE_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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

_SQLITE: Final[dict[int, tuple[type[StorageError], str]]] = {
    sqlite3.SQLITE_PERM: (ReadOnlyError, "no permission to write {place}"),
    sqlite3.SQLITE_BUSY: (BusyError, "{place} is in use by other writers for too long"),
    sqlite3.SQLITE_LOCKED: (BusyError, "{place} is in use by other writers for too long"),
    sqlite3.SQLITE_READONLY: (ReadOnlyError, "cannot write {place}: it is read-only"),
    sqlite3.SQLITE_CORRUPT: (CorruptError, "{place} is damaged: {reason}"),
    sqlite3.SQLITE_FULL: (DiskFullError, "cannot write {place}: the disk is full"),
    sqlite3.SQLITE_TOOBIG: (
        CorruptError,
        "{place} is damaged: a value in it is larger than all that c4 stores",
    ),
    sqlite3.SQLITE_CONSTRAINT: (RefusedValueError, "{place}: {reason}"),
    sqlite3.SQLITE_MISMATCH: (RefusedValueError, "{place}: {reason}"),
    sqlite3.SQLITE_CANTOPEN: (
        UnreachableError,
        "cannot open {place}: file or directory not accessible, or too many open files",
    ),
    sqlite3.SQLITE_NOTADB: (NotADatabaseError, "{place} is not an SQLite database"),
}
"""By primary result code."""

_INTERRUPTED: Final = (
    "cannot open {place}: its latest change was interrupted; to undo it, copy it and "
    "{place}-journal to a directory that can be written"
)

_SQLITE_IO: Final[dict[int, tuple[type[StorageError], str]]] = {
    # A full disk has a code of its own (SQLITE_FULL), except when the shared-memory file grows. A
    # failed write has another reason: a quota, a limit on file sizes, or a broken disk.
    sqlite3.SQLITE_IOERR_SHMSIZE: (DiskFullError, "cannot write {place}: the disk is full"),
    sqlite3.SQLITE_IOERR_WRITE: (
        DiskFullError,
        "cannot write {place}: no room (a quota or a limit on file sizes), or a broken disk",
    ),
    sqlite3.SQLITE_READONLY_ROLLBACK: (ReadOnlyError, _INTERRUPTED),
}
"""By extended result code; they are checked first."""

_TOO_LARGE: Final = (
    f"a value is too large to be stored (more than {LARGEST_VALUE >> 20} MiB), or the row that it "
    "belongs to is damaged"
)

_WAL_LEFT: Final = (
    "cannot open {place}: its latest changes are in {place}-wal, and to read those SQLite must be "
    "able to write beside it: copy both to a directory where it can"
)

_NO_PREPARED: Final = (
    "a connection pooler before {place} does not keep prepared statements: {reason}; "
    "add ?prepare_threshold=0 to the URL"
)

_POSTGRESQL: Final[dict[str, tuple[type[StorageError], str]]] = {
    "22": (RefusedValueError, "{place}: {reason}"),
    "23": (RefusedValueError, "{place}: {reason}"),
    "54": (RefusedValueError, "{place}: {reason}"),
    "08": (UnreachableError, "lost the connection to {place}: {reason}"),
    "25P03": (UnreachableError, "lost the connection to {place}: {reason}"),
    "25P04": (UnreachableError, "lost the connection to {place}: {reason}"),
    "26000": (UnreachableError, _NO_PREPARED),
    "42P05": (UnreachableError, _NO_PREPARED),
    "25006": (ReadOnlyError, "cannot write {place}: {reason}"),
    "28": (UnreachableError, "cannot log in to {place}: {reason}"),
    "3D000": (UnreachableError, "cannot reach {place}: {reason}"),
    "40": (BusyError, "{place} is in use by other writers: {reason}"),
    "42501": (ReadOnlyError, "no permission in {place}: {reason}"),
    "42P01": (CorruptError, "{place} has lost a table: {reason}"),
    "42703": (CorruptError, "{place} has lost a column: {reason}"),
    "53100": (DiskFullError, "cannot write {place}: the server's disk is full"),
    "53300": (UnreachableError, "{place} takes no more connections: {reason}"),
    "53": (UnreachableError, "{place} lacks resources: {reason}"),
    "55": (BusyError, "{place} is in use by other writers: {reason}"),
    "57P": (UnreachableError, "lost the connection to {place}: {reason}"),
    "57": (UnreachableError, "{place} has not answered: {reason}"),
    "58030": (CorruptError, "{place} cannot read its disk: {reason}"),
    "58": (UnreachableError, "{place} has not answered: {reason}"),
    "XX001": (CorruptError, "{place} is damaged: {reason}"),
    "XX002": (CorruptError, "{place} is damaged: {reason}"),
}
"""By SQLSTATE or its beginning."""

_CLIENT_OUTAGES: Final = frozenset({"OperationalError", "InterfaceError"})
"""Errors of the PostgreSQL client itself that may mean that there is no connection."""


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

    A database that may have no schema yet cannot tell its revision.
    """
    return engine.execution_options(**{_WRITES: False, _TELLS_REVISION: tells_revision})


def _open_read_only(uri: str) -> sqlite3.Connection:
    # As SQLAlchemy does it: its pool gives a connection to one thread at a time.
    return sqlite3.connect(uri, uri=True, timeout=_POLL_SECONDS, check_same_thread=False)


def _let_server_watch(connection: DBAPIConnection, record: object, *, may_prepare: bool) -> None:
    """Let the server detect that the client of a new connection has vanished.

    ``may_prepare``: statements may be prepared even behind a pooler; the URL says so.
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


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Raise storage errors instead of the drivers' own; they call the database ``place``."""
    try:
        yield
    except Exception as error:
        known = translate(error, place)
        if known is None:
            raise
        raise known from error


def translate(error: BaseException, place: str) -> StorageError | None:
    """The storage error for an error of SQLAlchemy or a driver; None for other errors."""
    if isinstance(error, PoolTimeoutError):
        return BusyError(f"no free connection to {place}")
    cause = error.orig if isinstance(error, DBAPIError) else error
    # A statement that the server has refused, over a connection that still works.
    is_refused = (
        isinstance(error, DBAPIError)
        and error.statement is not None
        and not error.connection_invalidated
    )
    if _is_too_large_to_store(error):
        return RefusedValueError(f"{place}: {_TOO_LARGE}")
    if isinstance(cause, sqlite3.Error):
        return _translate_sqlite(cause, place)
    # psycopg is not imported if only SQLite is used. Its errors have this attribute.
    if cause is not None and hasattr(cause, "sqlstate"):
        return _translate_postgresql(cause, place, is_refused=is_refused)
    return None


def _is_too_large_to_store(error: BaseException) -> bool:
    """Whether SQLite has refused a value for its size, and the statement's own values may be it."""
    if not isinstance(error, DBAPIError) or not isinstance(error.orig, sqlite3.Error):
        return False
    code: int = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_OK)
    if code != sqlite3.SQLITE_TOOBIG or error.statement is None:
        return False
    if not error.statement.lstrip().upper().startswith("SELECT"):
        return True
    given = error.params.values() if isinstance(error.params, Mapping) else error.params or ()
    # A letter has up to four bytes.
    return any(
        isinstance(value, str | bytes) and len(value) >= LARGEST_VALUE // 4 for value in given
    )


def _translate_sqlite(error: sqlite3.Error, place: str) -> StorageError | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    reason = str(error)
    if code is None and reason.startswith("Could not decode to UTF-8"):
        return DamagedValueError(f"{place} is damaged: a text is not UTF-8")
    if code is None:  # a wrong use of the driver: a bug of this program
        return None
    kind, message = _SQLITE_IO.get(code) or _SQLITE.get(
        code & 0xFF, (StorageError, "{place}: {reason}")
    )
    if code & 0xFF == sqlite3.SQLITE_ERROR and reason.startswith("no such"):
        kind, message = CorruptError, "{place} is damaged: {reason}"
    directory = Path(place).parent
    if (
        code & 0xFF == sqlite3.SQLITE_CANTOPEN
        and directory.is_dir()
        and not os.access(directory, os.W_OK)
    ):
        kind, message = ReadOnlyError, _WAL_LEFT
    return kind(message.format(place=place, reason=reason))


def _translate_postgresql(error: BaseException, place: str, *, is_refused: bool) -> StorageError:
    state: str | None = getattr(error, "sqlstate", None)
    reason = _first_line(error)
    if state is None:
        # The error is the client's: it could not connect, or lost its connection; or a value of the
        # statement cannot be sent, and trying again does not help.
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if is_refused or not kinds & _CLIENT_OUTAGES:
            return RefusedValueError(f"{place}: {reason}")
        return UnreachableError(f"cannot reach {place}: {reason}")
    for length in (5, 3, 2):
        if state[:length] in _POSTGRESQL:
            kind, message = _POSTGRESQL[state[:length]]
            return kind(message.format(place=place, reason=reason))
    return StorageError(f"{place}: {reason}")


def _first_line(error: BaseException) -> str:
    """The reason, without the driver's preamble and the advice that follows it."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].removeprefix("connection failed: ").strip()
