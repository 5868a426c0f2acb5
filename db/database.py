"""An open database: sessions, transactions, and the project's own errors."""

from __future__ import annotations

import random
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeVar, cast

from sqlalchemy import orm

from db.engine import (
    BUSY_SECONDS,
    REVISION,
    make_engine,
    read_revision,
    reading,
    reading_once,
    translate,
    translated,
    writing,
)
from db.errors import BusyError, ReadOnlyError, StorageError, UnreachableError
from db.files import check_file, check_opened, is_read_only, with_file_options
from db.migrations import HEAD
from db.schema import Standing, bring_up_to_date, refuse, refuse_change, state_of, upgrade
from db.sql import CLOCK
from db.urls import parse_url, place, show_url

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from sqlalchemy import URL, Engine

T = TypeVar("T")

Session = orm.Session
# For annotations in modules that write no SQL.

_ATTEMPTS: Final = 6
"""Number of attempts that ``run`` makes."""

PATIENCE_SECONDS: Final = 30.0
"""Commands wait this long for a database that was open and is away now."""

_RETRY_SECONDS: Final = 0.5
# Time between two attempts to reach a database that is away.

_PRAGMAS: Final = ("PRAGMA busy_timeout = 0", "PRAGMA query_only = ON")
# Settings of a connection that never waits for locks.


class Database:
    """An open database; make one with :meth:`open`, close it with ``with`` or :meth:`close`.

    Thread-safe: every transaction has a connection of its own. Open it after a fork, never before.

    Attributes:
        url: the URL, password masked.
        dialect: ``"sqlite"`` or ``"postgresql"``.
        created: whether opening the database created its tables.
        is_read_only: whether the URL or the file's permissions forbid writing.
    """

    def __init__(
        self,
        engine: Engine,
        url: URL,
        *,
        created: bool,
        clock: Callable[[], float] | None,
        read_seconds: float | None,
        on_outage: Callable[[str], object] | None,
    ) -> None:
        self.url = show_url(url)
        self.dialect = engine.dialect.name
        self.created = created
        self._place = place(url)
        self.is_read_only = is_read_only(url)
        self._engine = engine
        self._reading = reading(engine, read_seconds=read_seconds)
        self._reading_once = reading_once(engine)
        self._writing = writing(engine)
        self._info = {CLOCK: clock}
        self._on_outage = on_outage if self.dialect == "postgresql" else None
        self._is_away = False
        self._has_given_up = threading.Event()  # until the server is back
        # SQLite has one writer at a time, and the others poll. Threads of this process queue up
        # here instead, so that only processes poll.
        self._turn = threading.Lock() if self.dialect == "sqlite" else None

    @classmethod
    def open(
        cls,
        url: str,
        *,
        create: bool = True,
        clock: Callable[[], float] | None = None,
        read_seconds: float | None = None,
        on_outage: Callable[[str], object] | None = None,
    ) -> Database:
        """Open a database of the current schema; with ``create``, set up an empty one first.

        Args:
            url: ``sqlite:///relative``, ``sqlite:////absolute``, a bare file path, or
                ``postgresql://user:password@host:port/name``. An SQLite database is opened
                read-only if its URL ends with ``?mode=ro``, or if its directory cannot be written.
            create: create the file if it does not exist, and the tables if it has none. All tables
                are created in one transaction, so a database has all of them or none.
            read_seconds: maximum duration of a statement that reads, in PostgreSQL; for servers.
            clock: returns epoch seconds; replaces the database's clock in tests of leases.
            on_outage: called with a sentence when a server is away, and when it is back. With it,
                transactions wait up to PATIENCE_SECONDS for a server that was there before;
                without it they raise UnreachableError at once.

        Raises:
            UnknownSchemeError: the URL is neither SQLite's nor PostgreSQL's.
            UnreachableError: the server or the directory does not exist, or the login was refused.
            MissingDatabaseError: the database does not exist, and ``create`` is False.
            NotADatabaseError: the file is not a database, belongs to another program, has tables,
                indexes, views or triggers other than C4's, or side files that would make SQLite
                change other files.
            CorruptError: the file was not made here, and it is damaged.
            SchemaTooOldError: an older version created the database.
            SchemaTooNewError: a newer version created the database.
            StorageError: any other fault of a database; see :mod:`db.errors`.
        """
        parsed = parse_url(url)
        check_file(parsed, create=create and not is_read_only(parsed))
        parsed = with_file_options(parsed)
        with ExitStack() as on_failure:
            engine = make_engine(parsed)
            on_failure.callback(engine.dispose)
            with translated(place(parsed)):
                state = state_of(engine)
                created = create and state.standing is Standing.EMPTY
                if created:
                    state = bring_up_to_date(engine, {Standing.EMPTY})
                refuse(state, place(parsed))
                check_opened(engine, is_new=created)
            on_failure.pop_all()
        return cls(
            engine,
            parsed,
            created=created,
            clock=clock,
            read_seconds=read_seconds,
            on_outage=on_outage,
        )

    @classmethod
    def upgrade(cls, url: str) -> tuple[str | None, str]:
        """Upgrade an existing database to the current schema; return the old and the new revision.

        An empty database gets its tables; a current one is left as it is. Other processes may use
        the database: their next transaction raises SchemaTooNewError.

        Args:
            url: as for :meth:`open`.

        Raises:
            StorageError: as :meth:`open`, except SchemaTooOldError.
        """
        parsed = parse_url(url)
        check_file(parsed, create=False)
        with translated(place(parsed)):
            before, state = upgrade(parsed)
        refuse(state, place(parsed))
        return before.revision, HEAD

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Open a session in a write transaction: committed at the end, rolled back on an error.

        In SQLite the session is the only writer from its beginning (BEGIN IMMEDIATE), so that it
        cannot be refused later. Keep it short.

        Raises:
            ReadOnlyError: the database was opened read-only.
        """
        if self.is_read_only:
            raise ReadOnlyError(f"cannot write {self._place}: it is read-only")
        with translated(self._place), self._in_turn(), self._session(self._writing) as session:
            yield session

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Open a session in a read-only transaction that sees one state of the database."""
        with translated(self._place), self._session(self._reading) as session:
            yield session

    @contextmanager
    def read_once(self) -> Iterator[Session]:
        """Open a session for a single query; in PostgreSQL it takes one round trip, not three."""
        with translated(self._place), self._session(self._reading_once) as session:
            yield session

    def ask(self, query: Callable[[Session], T]) -> T:
        """Run ``query`` in a read transaction; if its connection is lost, repeat it once.

        The second attempt waits for the server if the database was opened with ``on_outage``.
        """
        try:
            with self.read() as session:
                return query(session)
        except UnreachableError:
            if self._on_outage is None or self._has_given_up.is_set():
                raise
        with self.read() as session:
            return query(session)

    def run(self, work: Callable[[Session], T]) -> T:
        """Run ``work`` in a write transaction; retry after a BusyError.

        ``work`` contains the complete transaction and may be called several times.
        """
        for attempt in range(_ATTEMPTS - 1):
            try:
                with self.write() as session:
                    return work(session)
            except BusyError:
                # Jitter, so that transactions that collided do not collide again.
                time.sleep(random.uniform(0, 0.01 * 4**attempt))  # noqa: S311 - no secret
        with self.write() as session:
            return work(session)

    def nonblocking_reader(self) -> NonBlockingReader | None:
        """Open a connection that never waits for other writers; None for PostgreSQL.

        Close it before the database.

        Raises:
            StorageError: the file cannot be opened.
        """
        return NonBlockingReader(self._engine, self._place) if self.dialect == "sqlite" else None

    def close(self) -> None:
        """Close every connection. The object cannot be used afterwards."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        """Return the database itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the database."""
        self.close()

    def __repr__(self) -> str:
        """Show the masked URL."""
        return f"<Database {self.url}>"

    @contextmanager
    def _session(self, engine: Engine) -> Iterator[Session]:
        with self._begun(engine) as session:
            try:
                refuse_change(session.connection().info.get(REVISION), self._place)
                yield session
                session.commit()
            except (KeyboardInterrupt, SystemExit):
                # A cursor that Ctrl-C interrupts between two rows stays open as long as the
                # traceback. While it is open, SQLite refuses every later write on that connection.
                session.invalidate()
                raise

    def _begun(self, engine: Engine) -> Session:
        """Open a session and begin its transaction now, not at the first statement."""
        began = time.monotonic()
        while True:
            session = Session(engine, autoflush=False, info=self._info)
            try:
                session.connection()
            except BaseException as error:
                session.close()
                if not self._should_wait(translate(error, self._place), began):
                    raise
            else:
                if self._is_away:
                    self._has_given_up.clear()
                    self._tell(is_away=False, text=f"{self._place} is back")
                return session

    def _should_wait(self, error: StorageError | None, began: float) -> bool:
        """Wait a moment if the database is away; return whether to try again."""
        if self._on_outage is None or not isinstance(error, UnreachableError):
            return False
        self._tell(is_away=True, text=f"{error}; trying again for {PATIENCE_SECONDS:.0f} s")
        try:
            self._has_given_up.wait(_RETRY_SECONDS)
            is_over = time.monotonic() - began > PATIENCE_SECONDS
        except KeyboardInterrupt:
            self._has_given_up.set()
            raise
        if is_over:
            self._has_given_up.set()  # other threads, and messages at the end, do not wait again
        return not self._has_given_up.is_set()

    def _tell(self, *, is_away: bool, text: str) -> None:
        if self._on_outage is not None and self._is_away is not is_away:
            self._is_away = is_away
            self._on_outage(text)

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        if self._turn is None:
            yield
            return
        if not self._turn.acquire(timeout=BUSY_SECONDS):
            raise BusyError(f"{self._place} has been in use by another thread for too long")
        try:
            yield
        finally:
            self._turn.release()


class NonBlockingReader:
    """A separate SQLite connection, on which each statement is a transaction.

    If another connection holds a lock, a query fails at once; repeat it in a thread that may wait.
    A slow disk still delays it. Measured: a query of one row takes 15 microseconds, against 200 in
    a session. Use it from one thread at a time.
    """

    def __init__(self, engine: Engine, place: str) -> None:
        self._place = place
        with translated(place):
            self._connection = engine.raw_connection()
            self._driver = cast("sqlite3.Connection", self._connection.driver_connection)
            self._connection.detach()
            for pragma in _PRAGMAS:
                self._driver.execute(pragma)

    def read(self, query: Callable[[sqlite3.Connection], T]) -> T:
        """Run a query on the driver's connection; it must fetch all its rows before it returns.

        Raises:
            BusyError: the file is locked.
            SchemaTooNewError: the database was upgraded since it was opened.
            StorageError: the database cannot be read.
        """
        with translated(self._place):
            found = query(self._driver)
            refuse_change(read_revision(self._driver), self._place)
            return found

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Writer(Protocol):
    """Runs write transactions: a database, or an object that retries during a database outage."""

    def run(self, work: Callable[[Session], T]) -> T:
        """Run a write transaction, as ``Database.run`` does."""
