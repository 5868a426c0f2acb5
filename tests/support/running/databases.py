"""Databases for tests: fresh ones, on SQLite and on a real PostgreSQL server."""

import os
import resource
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Connection, delete, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from c4core.notation import BoardSize
from c4core.version import ENGINE_VERSION
from db.database import Database
from db.evaluations.rows import ColumnValues, DriverQuery
from db.jobs.control import add_units, create_job, start_job
from db.models import Base
from db.records.evaluations import StoredEvaluation
from db.records.jobs import UnitPlan, WorkerInfo

T = TypeVar("T")

BOARD = BoardSize(7, 6)
NOBODY = 65534

on_sqlite = pytest.mark.parametrize("rows_url", ["sqlite"], indirect=True)
"""Run a test on SQLite only, because PostgreSQL would show the same."""

on_postgresql = pytest.mark.parametrize(
    "rows_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)
"""Run a test on PostgreSQL only."""


@dataclass
class FakeClock:
    """A clock that a test sets by hand; pass it to ``Database.open(..., clock=...)``."""

    time: float = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@dataclass
class PostgresDatabases:
    """A PostgreSQL server on which to create databases."""

    url: str
    """The database to connect to while others are created."""
    template: str | None = field(default=None, init=False)

    @contextmanager
    def database(self, *, initialised: bool) -> Iterator[str]:
        """The URL of a separate database, empty or with C4's tables; it is dropped at the end."""
        if initialised and self.template is None:
            self.template = self._create(None)
            Database.open(self._url(self.template)).close()
        name = self._create(self.template if initialised else None)
        try:
            yield self._url(name)
        finally:
            self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)"), name)

    def close(self) -> None:
        """Drop the remaining databases."""
        if self.template is not None:
            self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)"), self.template)

    def _create(self, template: str | None) -> str:
        name = f"c4_test_{secrets.token_hex(6)}"
        if template is None:
            self._execute(sql.SQL("CREATE DATABASE {}"), name)
        else:
            self._execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}"), name, template)
        return name

    def _execute(self, statement: sql.SQL, *names: str) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement.format(*map(sql.Identifier, names)))

    def _url(self, name: str) -> str:
        return make_url(self.url).set(database=name).render_as_string(hide_password=False)


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Make writes beyond this size fail, as a quota does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextmanager
def unprivileged() -> Iterator[Path]:
    """Become a user to whom permissions apply, with a directory of that user."""
    directory = Path(tempfile.mkdtemp(prefix="c4-test-"))
    root = os.geteuid() == 0
    if root:
        os.chown(directory, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield directory
    finally:
        if root:
            os.setresuid(0, 0, 0)
        directory.chmod(0o755)
        shutil.rmtree(directory)


def ask(database: Database, question: Callable[..., T], *arguments: object, **options: object) -> T:
    """Call ``question(session, ...)`` in a read transaction."""
    with database.read() as session:
        return question(session, *arguments, **options)


def do(database: Database, action: Callable[..., T], *arguments: object, **options: object) -> T:
    """Call ``action(session, ...)`` in a write transaction."""
    with database.write() as session:
        return action(session, *arguments, **options)


def execute(database: Database, statement: str, **values: object) -> int:
    """Execute SQL in a write transaction; return the number of rows that it changed."""
    with database.write() as session:
        changed: int = session.connection().execute(text(statement), values).rowcount
        return changed


def clear(database: Database) -> None:
    """Delete every row."""
    with database.write() as session:
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(delete(table))


@contextmanager
def counted_queries(database: Database) -> Iterator[list[str]]:
    """The statements sent through SQLAlchemy within the context."""
    sent: list[str] = []

    def note(*arguments: Any) -> None:  # noqa: ANN401 (the signature of SQLAlchemy's event)
        sent.append(arguments[2])

    event.listen(database._engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(database._engine, "before_cursor_execute", note)


def query_plans(database: Database, ask: Callable[[Session], object]) -> str:
    """The database's plans for the queries that ``ask`` makes."""
    asked: list[tuple[str, Any]] = []

    def note(*arguments: Any) -> None:  # noqa: ANN401 (the signature of SQLAlchemy's event)
        asked.append((arguments[2], arguments[3]))

    def note_driver_query(
        query: DriverQuery, connection: Connection, **parameters: object
    ) -> list[ColumnValues]:
        asked.append((query._text, query._fixed | parameters))
        return run(query, connection, **parameters)

    run = DriverQuery.rows
    with database.write() as session, patch.object(DriverQuery, "rows", note_driver_query):
        connection = session.connection()
        event.listen(connection, "before_cursor_execute", note)
        ask(session)
        event.remove(connection, "before_cursor_execute", note)
        explain = "EXPLAIN QUERY PLAN " if database.dialect == "sqlite" else "EXPLAIN "
        return "\n".join(
            str(line)
            for statement, parameters in asked
            for line in connection.exec_driver_sql(explain + statement, parameters)
        )


def units_read(database: Database, ask: Callable[[Session], object]) -> int:
    """The approximate number of ``units`` rows read: unlike time, the same on any machine.

    PostgreSQL counts them. SQLite counts instructions, about ten for each row.
    """
    with database.write() as session:
        if database.dialect == "postgresql":
            counts = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables"
            read = text(f"{counts} WHERE relname = 'units'")
            before = session.execute(read).scalar_one()  # includes the transactions just before
            ask(session)
            return int(session.execute(read).scalar_one() - before)
        looks = 0

        def look() -> int:
            nonlocal looks
            looks += 1
            return 0

        connection: Any = session.connection().connection.driver_connection
        connection.set_progress_handler(look, 10)
        try:
            ask(session)
        finally:
            connection.set_progress_handler(None, 0)
        return looks


def row(key: int = 1, **changes: object) -> StoredEvaluation:
    """An exact evaluation on 7x6, with changes."""
    return StoredEvaluation(key, *BOARD, 8, 2, 2, 100, ENGINE_VERSION)._replace(**changes)


def worker(name: str = "ada", **changes: object) -> WorkerInfo:
    """A worker process with two threads, with changes."""
    queues = ("interactive", "bulk")
    info = WorkerInfo(name, "lovelace", 1815, 2, 64, "1.0", ENGINE_VERSION, queues)
    return replace(info, **changes)


def make_job(database: Database, units: int = 3, *, positions: int = 10, priority: int = 0) -> int:
    """Make a running job of equal units; return its number."""
    plans = (UnitPlan({"number": number}, positions) for number in range(units))
    return make_planned_job(database, plans, priority=priority)


def make_planned_job(database: Database, plans: Iterable[UnitPlan], *, priority: int = 0) -> int:
    """Make a running job of these units; return its number."""
    job: dict[str, Any] = {"kind": "test", "params": {"depth": 1}, "priority": priority}
    with database.write() as session:
        job_id = create_job(session, board=BOARD, engine_version=ENGINE_VERSION, **job)
        add_units(session, job_id, plans)
        start_job(session, job_id)
    return job_id
