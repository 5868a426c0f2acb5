"""Upgrading a database while processes use it."""

import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from alembic import command
from sqlalchemy import Connection, create_engine, text

from c4core.solver import Solver
from db import jobs, registry, schema
from db.database import Database
from db.engine import make_engine
from db.errors import OldProcessesError, SchemaTooNewError
from db.evaluations import find_without_waiting, store
from db.migrations import FIRST_WATCHED, HEAD, REVISIONS
from db.records.jobs import UnitState
from db.schema import alembic_config
from db.urls import parse_url
from tests.support.boards.games import EASY
from tests.support.running.databases import BOARD, FakeClock, do, make_job, row, worker
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.units import job_of_games, states
from workers.analyze.units import ANALYZE
from workers.celery.doorbell import Doorbell
from workers.celery.unit_worker import UnitWorker, WorkerSettings
from workers.core.kinds import Lane

ON_POSTGRESQL = pytest.mark.parametrize(
    "database_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)


def set_revision(
    database_url: str, revision: str, during: Callable[[], object] = lambda: None
) -> None:
    """Set a database's revision as an upgrade does; call ``during`` meanwhile."""

    def migrate(connection: Connection) -> None:
        during()
        connection.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": revision})

    engine = make_engine(parse_url(database_url))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "migrate", migrate)
        schema.bring_up_to_date(engine, set(schema.Standing))
    engine.dispose()


def test_old_processes_neither_read_nor_write_after_an_upgrade(database_url: str) -> None:
    with Database.open(database_url) as database:
        reader = database.nonblocking_reader()
        set_revision(database_url, "c4_9999")
        for use in (database.read, database.write):
            with pytest.raises(SchemaTooNewError, match="schema c4_9999"), use():
                pass
        if reader is not None:
            with closing(reader), pytest.raises(SchemaTooNewError):
                find_without_waiting(reader, BOARD, 1)


@ON_POSTGRESQL
def test_a_transaction_ends_before_an_upgrade_or_starts_after_it(database_url: str) -> None:
    events = []
    goes_on = threading.Event()

    def migrate() -> None:
        events.append("upgrade")
        goes_on.wait(HANG_SECONDS)

    with (
        ThreadPoolExecutor() as pool,
        Database.open(database_url) as database,
        psycopg.connect(database_url, autocommit=True) as watcher,
    ):

        def one_waits() -> bool:
            query = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            return watcher.execute(query).fetchone() == (1,)

        with database.write() as session:
            upgrade = pool.submit(set_revision, database_url, "c4_9999", migrate)
            await_that(one_waits)
            store(session, BOARD, [row(1)])
            events.append("write")
        await_that(lambda: "upgrade" in events)
        late = pool.submit(do, database, store, BOARD, [row(2)])
        await_that(one_waits)
        goes_on.set()
        with pytest.raises(SchemaTooNewError):
            late.result(HANG_SECONDS)
        upgrade.result(HANG_SECONDS)
    assert events == ["write", "upgrade"]


def test_a_worker_stops_after_an_upgrade_and_another_does_its_unit(
    database_url: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fatal: list[Exception] = []
    with Database.open(database_url, clock=clock) as database:
        job_id = job_of_games(database, [EASY])
        (unit_id,) = do(database, jobs.announce, engine_version=1, interactive=False, limit=9)

        def solve_unit(*arguments: object) -> object:
            outcome = ANALYZE.solve_unit(*arguments)
            set_revision(database_url, "c4_9999")
            return outcome

        monkeypatch.setattr(
            "workers.analyze.units.ANALYZE", replace(ANALYZE, solve_unit=solve_unit)
        )
        old = UnitWorker(
            database,
            Doorbell("redis://127.0.0.1:9"),
            Solver(table_mb=1),
            WorkerSettings(name="old"),
            on_fatal=fatal.append,
        )
        old.start()
        assert old.work_on(unit_id, Lane.BULK) is False
        old.stop()
        assert [type(error) for error in fatal] == [SchemaTooNewError]
        set_revision(database_url, HEAD)
        assert states(database, job_id) == {UnitState.LEASED: 1}
        clock.time += 60
        taken = do(database, jobs.claim, owner="new", lease_seconds=10, engine_version=1)
        assert taken is not None
        assert (taken.unit_id, taken.attempts) == (unit_id, 1)


LAST_UNWATCHED = REVISIONS[REVISIONS.index(FIRST_WATCHED) - 1]


def make_unwatched(database_url: str) -> None:
    """Take a database back to the last revision whose processes do not notice an upgrade."""
    engine = create_engine(parse_url(database_url))
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), LAST_UNWATCHED)
    engine.dispose()


def test_an_upgrade_is_refused_while_old_processes_run(database_url: str) -> None:
    with Database.open(database_url) as database:
        do(database, registry.beat, worker("ada"))
        job_id = make_job(database)
        do(database, jobs.record_runner_heartbeat, job_id)
        do(database, jobs.claim, owner="lovelace:7", lease_seconds=10, engine_version=1)
    make_unwatched(database_url)
    with pytest.raises(OldProcessesError) as refused:
        Database.upgrade(database_url)
    assert (
        "in use by worker ada (c4 1.0), process lovelace:7, which holds leases, "
        f"a process at job {job_id}. Older versions"
    ) in str(refused.value)
    assert Database.upgrade(database_url, force=True) == (LAST_UNWATCHED, HEAD)


@ON_POSTGRESQL
def test_an_open_connection_counts_as_an_old_process(database_url: str) -> None:
    make_unwatched(database_url)
    with (
        psycopg.connect(database_url, application_name="c4"),
        pytest.raises(OldProcessesError, match="in use by a connection of c4 from "),
    ):
        Database.upgrade(database_url)
    Database.upgrade(database_url)


def test_an_open_file_counts_as_an_old_process(sqlite_path: Path) -> None:
    url = f"sqlite:///{sqlite_path}"
    make_unwatched(url)
    with closing(sqlite3.connect(sqlite_path)) as other:
        other.execute("SELECT * FROM jobs").fetchall()
        with pytest.raises(OldProcessesError, match=r"another process \(`fuser .*c4.db`"):
            Database.upgrade(url)
    Database.upgrade(url)
    with closing(sqlite3.connect(sqlite_path)) as other:
        assert other.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
