"""An open database: sessions, transactions, and errors of the project's own types."""

from __future__ import annotations

import os
import random
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar

from sqlalchemy.orm import Session

from db import schema
from db.at_once import AtOnce
from db.clock import CLOCK
from db.engine import BUSY_SECONDS, REVISION, make_engine, reading, writing
from db.errors import (
    BusyError,
    MissingDatabaseError,
    NotADatabaseError,
    ReadOnlyError,
    UnreachableError,
)
from db.read_only import as_possible, is_read_only
from db.revisions import HEAD
from db.side_files import check_side_files
from db.translation import translated
from db.upgrading import migrate, read_state, upgrade
from db.urls import parse_url, place, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sqlalchemy import URL, Engine

T = TypeVar("T")

_SMALLEST_FILE: Final = 512
"""Bytes: SQLite's smallest page. SQLite takes some shorter files for empty databases."""

_ATTEMPTS: Final = 6
"""How often ``run`` tries."""


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
        _check_file(parsed, create=create and not is_read_only(parsed))
        parsed = as_possible(parsed)
        with ExitStack() as on_failure:
            engine = make_engine(parsed)
            on_failure.callback(engine.dispose)
            with translated(place(parsed)):
                state = read_state(engine)
                created = create and state.standing is schema.Standing.EMPTY
                if created:
                    state = migrate(engine, {schema.Standing.EMPTY})
            schema.refuse(state, place(parsed))
            on_failure.pop_all()
        return cls(engine, parsed, created=created, clock=clock)

    @classmethod
    def upgrade(cls, url: str, *, force: bool = False) -> tuple[str | None, str]:
        """Bring an existing database to the current schema: its revision before and after.

        An empty database is made ready; a current one is left as it is. See :mod:`db.upgrading` for
        processes that use it meanwhile.

        Args:
            url: as for :meth:`open`.
            force: upgrade even if processes of older versions would go on with it.

        Raises:
            OldProcessesError: processes of older versions use it.
            StorageError: as :meth:`open`, but for SchemaTooOldError.
        """
        parsed = parse_url(url)
        _check_file(parsed, create=False)
        with translated(place(parsed)):
            before, state = upgrade(parsed, force=force)
        schema.refuse(state, place(parsed))
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

        Args:
            work: does everything that belongs to the transaction; may be called several times.
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
                schema.refuse_change(connection.info.get(REVISION), self._place)
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


def _check_file(url: URL, *, create: bool) -> None:
    """Refuse what SQLite would only call "unable to open database file", and say what is wrong."""
    if url.get_backend_name() != "sqlite" or url.database is None:
        return
    path = Path(url.database)
    try:
        if path.is_dir():
            raise UnreachableError(f"{path} is a directory, not a database")
        check_side_files(path)
        if path.exists():
            if 0 < path.stat().st_size < _SMALLEST_FILE and path.is_file():
                raise NotADatabaseError(f"{path} is not an SQLite database")
            if not os.access(path, os.R_OK):
                raise UnreachableError(f"no permission to read {path}")
            return
        if not path.parent.is_dir():
            raise UnreachableError(f"cannot open {path}: there is no directory {path.parent}")
    except OSError as error:  # a name too long, a loop of links, a directory that is closed to us
        raise UnreachableError(f"cannot open {path}: {error.strerror}") from None
    if not create:
        raise MissingDatabaseError(f"there is no database {path}: run `c4 db init`")
    if not os.access(path.parent, os.W_OK):
        raise ReadOnlyError(f"cannot create {path}: no permission to write {path.parent}")
