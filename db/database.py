"""An open database: sessions, transactions, and errors of the project's own types."""

from __future__ import annotations

import random
import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeVar, cast

from sqlalchemy import event, func, orm, select

from db.engine import (
    BUSY_SECONDS,
    REVISION,
    make_engine,
    read_revision,
    reading,
    translated,
    writing,
)
from db.errors import BusyError, ReadOnlyError
from db.migrations import HEAD
from db.schema import Standing, bring_up_to_date, refuse, refuse_change, state_of, upgrade
from db.sql import CLOCK
from db.sqlite_files import as_possible, check_file, is_read_only
from db.urls import parse_url, place, show

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from sqlalchemy import URL, Engine

T = TypeVar("T")

Session = orm.Session
# Callers that write no SQL need it for annotations.

_ATTEMPTS: Final = 6
"""How often ``run`` tries."""

_PRAGMAS: Final = ("PRAGMA busy_timeout = 0", "PRAGMA query_only = ON")
# Of a connection that waits for nobody.


class Database:
    """An open database; make one with :meth:`open`, close it with ``with`` or :meth:`close`.

    Thread-safe: every transaction has a connection of its own. Open it after a fork, never before.

    Attributes:
        url: the URL, password masked.
        dialect: ``"sqlite"`` or ``"postgresql"``.
        created: whether opening it has made its tables.
        is_read_only: whether nothing can be written, by the URL or by the file's permissions.
    """

    def __init__(
        self, engine: Engine, url: URL, *, created: bool, clock: Callable[[], float] | None
    ) -> None:
        self.url = show(url)
        self.dialect = engine.dialect.name
        self.created = created
        self._place = place(url)
        self.is_read_only = is_read_only(url)
        self._engine = engine
        self._reading = reading(engine)
        self._writing = writing(engine)
        self._info = {CLOCK: clock}
        # SQLite has one writer at a time, and the others poll. Threads of this process queue up
        # here instead, so that only processes poll.
        self._turn = threading.Lock() if self.dialect == "sqlite" else None

    @classmethod
    def open(
        cls, url: str, *, create: bool = True, clock: Callable[[], float] | None = None
    ) -> Database:
        """Open a database of the current schema; ``create``: make an empty one ready first.

        Args:
            url: ``sqlite:///relative``, ``sqlite:////absolute``, a bare file path, or
                ``postgresql://user:password@host:port/name``. An SQLite database is only read if
                its URL ends with ``?mode=ro``, or if its directory cannot be written.
            create: make the file if it is not there, and the tables if there are none. All tables
                are made in one transaction: whatever happens, a database has all or none.
            clock: returns epoch seconds; replaces the database's clock in tests of leases.

        Raises:
            UnknownSchemeError: the URL is neither SQLite's nor PostgreSQL's.
            UnreachableError: no server, no such directory, login refused;
                MissingDatabaseError: there is none, and ``create`` is False.
                NotADatabaseError: it is no database, or one of another program, or files beside
                it would let SQLite change other files.
                SchemaTooOldError, SchemaTooNewError: another version has made it.
                StorageError: any other fault of a database; see :mod:`db.errors`.
        """
        parsed = parse_url(url)
        check_file(parsed, create=create and not is_read_only(parsed))
        parsed = as_possible(parsed)
        with ExitStack() as on_failure:
            engine = make_engine(parsed)
            on_failure.callback(engine.dispose)
            with translated(place(parsed)):
                state = state_of(engine)
                created = create and state.standing is Standing.EMPTY
                if created:
                    state = bring_up_to_date(engine, {Standing.EMPTY})
            refuse(state, place(parsed))
            on_failure.pop_all()
        return cls(engine, parsed, created=created, clock=clock)

    @classmethod
    def upgrade(cls, url: str, *, force: bool = False) -> tuple[str | None, str]:
        """Bring an existing database to the current schema: its revision before and after.

        An empty database is made ready; a current one is left as it is. See :mod:`db.schema` for
        processes that use it meanwhile.

        Args:
            url: as for :meth:`open`.
            force: upgrade even if processes of older versions would go on with it.

        Raises:
            OldProcessesError: processes of older versions use it.
            StorageError: as :meth:`open`, but for SchemaTooOldError.
        """
        parsed = parse_url(url)
        check_file(parsed, create=False)
        with translated(place(parsed)):
            before, state = upgrade(parsed, force=force)
        refuse(state, place(parsed))
        return before.revision, HEAD

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session in a write transaction: committed at the end, rolled back on an error.

        In SQLite it is the database's only writer from its beginning (BEGIN IMMEDIATE), so that it
        cannot be refused later. Keep it short.

        Raises:
            ReadOnlyError: the database was opened to be read only.
        """
        if self.is_read_only:
            raise ReadOnlyError(f"cannot write {self._place}: it is read-only")
        with translated(self._place), self._in_turn(), self._session(self._writing) as session:
            yield session

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session in a read-only transaction that sees one state of the database."""
        with translated(self._place), self._session(self._reading) as session:
            yield session

    def run(self, work: Callable[[Session], T]) -> T:
        """Do ``work`` in a write transaction; try again when other writers broke it (BusyError).

        It does everything that belongs to the transaction, and may be called several times.
        """
        for attempt in range(_ATTEMPTS - 1):
            try:
                with self.write() as session:
                    return work(session)
            except BusyError:
                # Jitter keeps transactions that broke each other from meeting again.
                time.sleep(random.uniform(0, 0.01 * 4**attempt))  # noqa: S311 - no secret
        with self.write() as session:
            return work(session)

    def at_once(self) -> AtOnce | None:
        """A connection that never waits for others; None for a server, which is always waited for.

        To be closed before the database.

        Raises:
            StorageError: the file cannot be opened.
        """
        return AtOnce(self._engine, self._place) if self.dialect == "sqlite" else None

    def close(self) -> None:
        """Close every connection. The object cannot be used any more."""
        self._engine.dispose()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def __repr__(self) -> str:
        """The masked URL."""
        return f"<Database {self.url}>"

    @contextmanager
    def _session(self, engine: Engine) -> Iterator[Session]:
        with Session(engine, autoflush=False, info=self._info) as session, session.begin():
            try:
                connection = session.connection()  # BEGIN now, not at the first statement
                refuse_change(connection.info.get(REVISION), self._place)
                yield session
            except (KeyboardInterrupt, SystemExit):
                # A cursor that Ctrl-C has cut off between two rows stays open as long as the
                # traceback. On a connection with one SQLite refuses every later write.
                session.invalidate()
                raise

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        if self._turn is None:
            yield
            return
        if not self._turn.acquire(timeout=BUSY_SECONDS):
            raise BusyError(f"{self._place} is in use by another thread for too long")
        try:
            yield
        finally:
            self._turn.release()


class AtOnce:
    """A connection of its own, on which each statement is a transaction.

    What another connection has locked is an error, which whoever can wait tries again. A slow disk
    is waited for, as nobody can tell before. Measured with one row: 15 microseconds, and 200 in a
    session, which is made for more.

    For one thread at a time.

    Args:
        engine: of an SQLite file.
        place: what the database is called in errors.

    Raises:
        StorageError: the file cannot be opened.
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
        """Run a query on the driver's connection; it takes all its rows before it returns.

        Raises:
            BusyError: the file is locked.
            SchemaTooNewError: it was upgraded since it was opened.
            StorageError: it cannot be read.
        """
        with translated(self._place):
            found = query(self._driver)
            refuse_change(read_revision(self._driver), self._place)
            return found

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Writer(Protocol):
    """Runs write transactions: a database, or an object that retries while its database is away."""

    def run(self, work: Callable[[Session], T]) -> T:
        """As ``Database.run``."""


def after_commit(session: Session, call: Callable[[], object]) -> None:
    """Call something as soon as the session's transaction is committed, and only then.

    This is for a process's own memory of the database: a transaction may be rolled back at any
    point, even at its commit, and then ``Database.run`` does all of it again. The call must not use
    the session.
    """
    event.listen(session, "after_commit", lambda _session: call(), once=True)


def limit_waiting(session: Session, seconds: float) -> None:
    """Let no statement of the transaction wait longer than this for rows that others have locked.

    After that it raises BusyError. SQLite locks no rows, so there it changes nothing.
    """
    if session.connection().dialect.name == "postgresql":
        milliseconds = f"{max(1, round(1000 * seconds))}ms"
        session.execute(select(func.set_config("lock_timeout", milliseconds, True)))
