"""Create engines, set up their connections and transactions, and translate the drivers' errors.

Errors of the drivers never leave this package: :func:`translated` turns them into errors of
:mod:`db.errors`.
"""

from __future__ import annotations

import os
import random
import select
import sqlite3
import time
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from sqlalchemy import create_engine, event
from sqlalchemy.exc import (
    DBAPIError,
    DisconnectionError,
    OperationalError,
    TimeoutError as PoolTimeoutError,
)

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
from db.files import file_uri, is_read_only
from db.urls import PREPARE_THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import psycopg
    from sqlalchemy import URL, Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

BUSY_SECONDS: Final = 60.0
"""Maximum time that a writer waits for its turn."""

_SIGNAL_STEPS: Final = 100_000
"""Number of SQLite's instructions, some milliseconds, between two looks for a signal."""

_POLL_SECONDS: Final = 1.0
# SQLite itself waits this long for a lock. Ctrl-C has no effect meanwhile, so it is short;
# patiently() waits for the rest.

_POSTGRESQL_DEFAULTS: Final = {
    "application_name": "c4",
    "connect_timeout": "10",
    # A dead network is an error after 8 s, within the time of a worker's lease. Without these
    # settings a connection waits for a quarter of an hour. If the network returns before that, the
    # connection waits almost as long again as the outage lasted (measured: 23 s more after 30 s).
    "tcp_user_timeout": "8000",
    "keepalives_idle": "5",
    "keepalives_interval": "1",
    "keepalives_count": "3",
}
"""Settings for libpq that the URL may override."""

_SERVER_WATCH: Final = (
    "SELECT set_config('tcp_keepalives_idle', '5', false), "
    "set_config('tcp_keepalives_interval', '1', false), "
    "set_config('tcp_keepalives_count', '3', false) WHERE pg_backend_pid() = {pid}"
)
# The server must notice a lost client as well: it holds the locks of a client's open transaction
# for two hours by default. (No tcp_user_timeout there: it would also disconnect slow readers.)
#
# A pooler gives its clients process numbers of its own, which makes the condition false. Settings
# and prepared statements stay in a pooler's session: the pooler's next client would inherit them,
# and this client would miss them in its next session.

_BEGIN_POSTGRESQL: Final = {
    # A stopped client still answers keepalives, so a limit on idle time ends its transaction. The
    # longest pause of a working client is 16 s, while it rebuilds its cache of a deep job with a
    # million units.
    True: "BEGIN ISOLATION LEVEL READ COMMITTED; "
    "SET LOCAL idle_in_transaction_session_timeout = '30s'",
    # A reader may stream to a user who pages through the rows; it holds few locks.
    False: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; "
    "SET LOCAL idle_in_transaction_session_timeout = 0",
}
"""Statements that begin a write (True) or a read (False) transaction, in one round trip."""

_READ_REVISION: Final = "SELECT version_num FROM alembic_version"
# In PostgreSQL it is sent with BEGIN, in the same round trip.

_WRITES: Final = "c4_writes"
# Execution option: whether the transactions of this engine write.

_ONE_QUERY: Final = "c4_one_query"
# Execution option: whether the sessions of this engine have a single query.

_READ_SECONDS: Final = "c4_read_seconds"
# Execution option: maximum duration of a statement that reads, for a server whose clients are
# not known; None for no limit.

_TELLS_REVISION: Final = "c4_tells_revision"
# Execution option: whether each transaction begins by reading the schema's revision.

REVISION: Final = "c4_revision"
"""Key in a connection's info: the schema's revision, read when its transaction began."""

WRITING: Final = {_WRITES: True}
"""Execution options of an engine or a connection whose transactions write."""

_WAS_USED: Final = "c4_was_used"
# Key in a connection's info: the connection has been in the pool.

_CONNECTION_PRAGMAS: Final = (
    # A file from an untrusted source may contain triggers and views. They may only call functions
    # that SQLite considers harmless.
    "PRAGMA trusted_schema = OFF",
    "PRAGMA foreign_keys = ON",
    # With WAL, NORMAL loses no committed transaction when the process dies, and never the database.
    # A power cut may lose the last transactions, whose positions are solved again.
    "PRAGMA synchronous = NORMAL",
    "PRAGMA cache_size = -65536",  # 64 MiB: random keys touch every page of the table
)

_SQLITE: Final[dict[int, tuple[type[StorageError], str]]] = {
    sqlite3.SQLITE_PERM: (ReadOnlyError, "no permission to write {place}"),
    sqlite3.SQLITE_BUSY: (BusyError, "{place} has been in use by other writers for too long"),
    sqlite3.SQLITE_LOCKED: (BusyError, "{place} has been in use by other writers for too long"),
    sqlite3.SQLITE_READONLY: (ReadOnlyError, "cannot write {place}: it is read-only"),
    sqlite3.SQLITE_CORRUPT: (CorruptError, "{place} is damaged: {reason}"),
    sqlite3.SQLITE_FULL: (DiskFullError, "cannot write {place}: the disk is full"),
    sqlite3.SQLITE_TOOBIG: (RefusedValueError, "{place}: a value is too large to be stored"),
    sqlite3.SQLITE_CONSTRAINT: (RefusedValueError, "{place}: {reason}"),
    sqlite3.SQLITE_MISMATCH: (RefusedValueError, "{place}: {reason}"),
    sqlite3.SQLITE_CANTOPEN: (
        UnreachableError,
        "cannot open {place}: file or directory not accessible, or too many open files",
    ),
    sqlite3.SQLITE_NOTADB: (NotADatabaseError, "{place} is not an SQLite database"),
}
"""Error class and message by primary result code."""

_INTERRUPTED: Final = (
    "cannot open {place}: its latest change was interrupted; to undo it, copy it and "
    "{place}-journal to a directory that can be written"
)

_SQLITE_IO: Final[dict[int, tuple[type[StorageError], str]]] = {
    # A full disk has a code of its own (SQLITE_FULL), except when the shared-memory file grows. Any
    # other failed write has another reason: a quota, a limit on file sizes, or a broken disk.
    sqlite3.SQLITE_IOERR_SHMSIZE: (DiskFullError, "cannot write {place}: the disk is full"),
    sqlite3.SQLITE_IOERR_WRITE: (
        DiskFullError,
        "cannot write {place}: no room (a quota or a limit on file sizes), or a broken disk",
    ),
    sqlite3.SQLITE_READONLY_ROLLBACK: (ReadOnlyError, _INTERRUPTED),
}
"""Error class and message by extended result code; these codes are checked first."""

_WAL_LEFT: Final = (
    "cannot open {place}: its latest changes are in {place}-wal, and SQLite must be able to write "
    "beside that file to read them: copy both to a directory where it can write"
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
    "53300": (UnreachableError, "{place} accepts no more connections: {reason}"),
    "53": (UnreachableError, "{place} lacks resources: {reason}"),
    "55": (BusyError, "{place} is in use by other writers: {reason}"),
    "57P": (UnreachableError, "lost the connection to {place}: {reason}"),
    "57": (UnreachableError, "{place} has not answered: {reason}"),
    "58030": (CorruptError, "{place} cannot read its disk: {reason}"),
    "58": (UnreachableError, "{place} has not answered: {reason}"),
    "XX001": (CorruptError, "{place} is damaged: {reason}"),
    "XX002": (CorruptError, "{place} is damaged: {reason}"),
}
"""Error class and message by SQLSTATE or by the beginning of one."""

_CLIENT_OUTAGES: Final = frozenset({"OperationalError", "InterfaceError"})
"""Errors of the PostgreSQL client itself that may mean a lost connection."""


def make_engine(url: URL) -> Engine:
    """Create an engine for a database; :func:`writing` and :func:`reading` begin transactions."""
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
        isolation_level="AUTOCOMMIT",  # _begin_postgresql sends BEGIN
        pool_size=8,
        max_overflow=-1,  # every caller is a thread, so the number of threads is the limit
    )
    event.listen(engine, "connect", partial(_let_server_watch, may_prepare=threshold is not None))
    event.listen(engine, "checkout", _refuse_closed)
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def writing(engine: Engine) -> Engine:
    """The engine with write transactions: IMMEDIATE in SQLite, READ COMMITTED in PostgreSQL.

    Like transactions of :func:`reading`, they read the schema's REVISION when they begin. In
    PostgreSQL no migration changes it until they end, because a migration locks the table first.
    """
    return engine.execution_options(**WRITING, **{_TELLS_REVISION: True})


def reading(
    engine: Engine, *, tells_revision: bool = True, read_seconds: float | None = None
) -> Engine:
    """The engine with transactions that see one state of the database and cannot write.

    Set ``tells_revision`` to False for a database that may have no schema yet. In PostgreSQL a
    statement ends with an error after ``read_seconds``, and reads no table without an index.
    """
    return engine.execution_options(
        **{_WRITES: False, _TELLS_REVISION: tells_revision, _READ_SECONDS: read_seconds}
    )


def reading_once(engine: Engine) -> Engine:
    """The engine with sessions for a single query.

    In PostgreSQL they send no BEGIN, and use the revision that the connection's last transaction
    has read. This saves two round trips.
    """
    return reading(engine).execution_options(**{_ONE_QUERY: True})


def _open_read_only(uri: str) -> sqlite3.Connection:
    # The same arguments as SQLAlchemy's: its pool gives a connection to one thread at a time.
    return sqlite3.connect(uri, uri=True, timeout=_POLL_SECONDS, check_same_thread=False)


def _let_server_watch(connection: DBAPIConnection, record: object, *, may_prepare: bool) -> None:
    """Let the server detect that the client of a new connection has vanished.

    ``may_prepare``: the URL allows prepared statements even behind a pooler.
    """
    del record
    driver = cast("psycopg.Connection[Any]", connection)
    watch = _SERVER_WATCH.format(pid=driver.info.backend_pid)
    is_direct = driver.execute(watch).fetchone() is not None
    if not is_direct and not may_prepare:
        driver.prepare_threshold = None


def _refuse_closed(connection: DBAPIConnection, record: ConnectionPoolEntry, proxy: object) -> None:
    """Let the pool replace a connection that the server has closed, for instance by a restart.

    On an idle connection a server sends only one message: that it closes. Checking for unread data
    is therefore enough; SQLAlchemy's ``pool_pre_ping`` costs every transaction a round trip.
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
    """Set up a new connection to SQLite; this module sends BEGIN, not the driver."""
    del record
    cast("sqlite3.Connection", connection).set_progress_handler(_let_signals_in, _SIGNAL_STEPS)
    # The driver would begin a deferred transaction, and only at the first write. Measured: 175 of
    # 800 transactions failed with "database is locked" that way, and none with BEGIN IMMEDIATE.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in _CONNECTION_PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _let_signals_in() -> bool:
    """Go on with a statement. If a signal came, its handler raises here, which ends the statement.

    SQLite calls this in the thread of the statement; Python handles signals in the main thread.
    """
    return False


def _begin_sqlite(connection: Connection) -> None:
    """Begin a transaction; for a writer IMMEDIATE, retried until BUSY_SECONDS have passed."""
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
    """Return the revision of an SQLite file's schema; measured, 5 microseconds."""
    found = driver.execute(_READ_REVISION).fetchone()
    return None if found is None else found[0]


def patiently(statement: Callable[[], object]) -> None:
    """Run a statement that SQLite refuses while others write; retry until BUSY_SECONDS have passed.

    For statements that SQLite refuses at once, regardless of its own timeout. The last error is
    raised: SQLAlchemy's OperationalError or the driver's.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    pause = 0.001
    while True:
        try:
            statement()
        except (OperationalError, sqlite3.OperationalError) as error:
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            # Jitter, so that writers that were refused together do not retry together.
            time.sleep(random.uniform(0, pause))  # noqa: S311 - no secret
            pause = min(2 * pause, 0.1)
        else:
            return


def _begin_postgresql(connection: Connection) -> None:
    """Begin a transaction, and read the schema's revision in the same round trip.

    It is a write transaction by default.
    """
    options = connection.get_execution_options()
    if options.get(_ONE_QUERY) and REVISION in connection.info:
        return
    begin = _BEGIN_POSTGRESQL[bool(options.get(_WRITES, True))]
    seconds = options.get(_READ_SECONDS)
    if seconds is not None:
        limit = f"SET LOCAL statement_timeout = '{seconds}s'"
        begin = f"{begin}; {limit}; SET LOCAL enable_seqscan = off"
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
    """Let SQLite refuse writes in a read transaction, as PostgreSQL does.

    The setting is sent only if it differs from the connection's previous one.
    """
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
    """Raise storage errors in place of the drivers' own; messages call the database ``place``."""
    try:
        yield
    except Exception as error:
        if _is_interrupted(error):
            raise KeyboardInterrupt from error
        known = translate(error, place)
        if known is None:
            raise
        raise known from error


def _is_interrupted(error: Exception) -> bool:
    """Whether a signal has ended the statement; see :func:`_let_signals_in`."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT


def translate(error: BaseException, place: str) -> StorageError | None:
    """Return the storage error for an error of SQLAlchemy or a driver; None for other errors."""
    if isinstance(error, PoolTimeoutError):
        return BusyError(f"no free connection to {place}")
    cause = error.orig if isinstance(error, DBAPIError) else error
    # The server refused the statement, and the connection still works.
    is_refused = (
        isinstance(error, DBAPIError)
        and error.statement is not None
        and not error.connection_invalidated
    )
    if isinstance(cause, sqlite3.Error):
        return _translate_sqlite(cause, place)
    # psycopg is not imported if only SQLite is used. Its errors have this attribute.
    if cause is not None and hasattr(cause, "sqlstate"):
        return _translate_postgresql(cause, place, is_refused=is_refused)
    return None


def _translate_sqlite(error: sqlite3.Error, place: str) -> StorageError | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    reason = str(error)
    if code is None and reason.startswith("Could not decode to UTF-8"):
        return DamagedValueError(f"{place} is damaged: a text is not UTF-8")
    if code is None:  # wrong use of the driver: a bug of this program
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
        # The error is the client's. Either it could not connect or lost its connection, or a value
        # of the statement cannot be sent and a retry does not help.
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
    """The reason, without the driver's preamble and the advice after it."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].removeprefix("connection failed: ").strip()
