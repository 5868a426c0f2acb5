"""Databases for tests: fresh ones, on SQLite and on a real PostgreSQL server."""

import os
import pwd
import resource
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from sqlalchemy import delete, event
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from c4core.notation import BoardSize
from c4core.version import ENGINE_VERSION
from db.database import Database
from db.evaluations import StoredEvaluation
from db.jobs import UnitPlan, add_units, create_job, start_job
from db.models import Base

BOARD = BoardSize(7, 6)


@dataclass
class FakeClock:
    """A clock that a test turns on by hand; given to ``Database.open(..., clock=...)``."""

    time: float = 1_000_000.0

    def __call__(self) -> float:
        return self.time


@dataclass
class PostgresServer:
    """A server to make databases on."""

    url: str
    """Of a database to connect to while others are made."""
    template: str | None = field(default=None, init=False)

    @contextmanager
    def database(self, *, initialised: bool) -> Iterator[str]:
        """The URL of a database of its own, dropped at the end; empty or with C4's tables."""
        if initialised and self.template is None:
            self.template = self._create(None)
            Database.open(self._url(self.template)).close()
        name = self._create(self.template if initialised else None)
        try:
            yield self._url(name)
        finally:
            self._execute(sql.SQL("DROP DATABASE {} WITH (FORCE)"), name)

    def close(self) -> None:
        """Drop what is left."""
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


def server_binaries() -> Path | None:
    """Where PostgreSQL's server programs are, or None."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).resolve().parent if initdb else None


@contextmanager
def started_server(binaries: Path) -> Iterator[PostgresServer]:
    """A PostgreSQL server on a free port, in a directory that is thrown away."""
    directory = Path(tempfile.mkdtemp(prefix="c4-postgres-"))
    user = _server_user()
    if user is not None:
        shutil.chown(directory, user.pw_uid, user.pw_gid)

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [binaries / program, "-D", directory / "data", *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=directory,
            user=None if user is None else user.pw_uid,
            group=None if user is None else user.pw_gid,
            extra_groups=None if user is None else [],
        )

    try:
        run("initdb", "-A", "trust", "-U", "c4", "-E", "UTF8", "--locale=C", "--no-sync")
        port = _free_port()
        options = f"-p {port} -k {directory} -c listen_addresses=127.0.0.1 -c fsync=off"
        log = str(directory / "log")
        run("pg_ctl", "-w", "-l", log, "-o", options, "start")
        try:
            server = PostgresServer(f"postgresql://c4@127.0.0.1:{port}/postgres")
            yield server
        finally:
            run("pg_ctl", "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(directory)


def _server_user() -> pwd.struct_passwd | None:
    """Whom the server runs as when the tests run as root, which it refuses."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres")
    except KeyError:
        return pwd.getpwnam("nobody")


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@contextmanager
def file_size_limit(size: int) -> Iterator[None]:
    """Writes beyond this size fail, as they do with a quota."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def clear(database: Database) -> None:
    """Delete every row."""
    with database.write() as session:
        for table in reversed(Base.metadata.sorted_tables):
            session.execute(delete(table))


def query_plans(database: Database, ask: Callable[[Session], object]) -> str:
    """How the database finds the answers to the queries that ``ask`` makes."""
    asked: list[tuple[str, Any]] = []

    def note(*arguments: Any) -> None:  # noqa: ANN401 - as SQLAlchemy's event has them
        asked.append((arguments[2], arguments[3]))

    with database.write() as session:
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


def row(key: int = 1, **changes: object) -> StoredEvaluation:
    """An exact evaluation on 7x6, with changes."""
    values: dict[str, object] = {
        "key": key,
        "width": BOARD.width,
        "height": BOARD.height,
        "ply": 8,
        "lower": 2,
        "upper": 2,
        "nodes": 100,
        "engine_version": ENGINE_VERSION,
    }
    return StoredEvaluation(**(values | changes))


def make_job(database: Database, units: int = 3, *, positions: int = 10, priority: int = 0) -> int:
    """A running job of equal units; its number."""
    with database.write() as session:
        job_id = create_job(
            session,
            kind="test",
            board=BOARD,
            params={"depth": 1},
            engine_version=ENGINE_VERSION,
            priority=priority,
        )
        plans = (UnitPlan({"number": number}, positions) for number in range(units))
        add_units(session, job_id, plans)
        start_job(session, job_id)
    return job_id
