"""A database is upgraded, also while it is used. Upgrades only change the revision here."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace

import psycopg
import pytest
from sqlalchemy import Connection, text

from db import schema
from db.database import Database
from db.engine import make_engine
from db.errors import SchemaTooNewError, SchemaTooOldError
from db.evaluations import find_without_waiting, store
from db.migrations import HEAD
from db.records.jobs import UnitState
from db.urls import parse_url
from tests.support.boards.games import EASY
from tests.support.jobs import must_take
from tests.support.running.databases import BOARD, FakeClock, do, row
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.units import job_of_games, states, working
from workers.analyze.job import ANALYZE

ON_POSTGRESQL = pytest.mark.parametrize(
    "database_url", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True
)

OLD = "c4_0000"


@pytest.fixture
def old_url(database_url: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database of an older revision, whose upgrade only changes the revision."""
    set_revision(database_url, OLD)
    monkeypatch.setattr(schema, "REVISIONS", (OLD, HEAD))
    return database_url


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


def write_revision(connection: Connection) -> None:
    """An upgrade to the present revision."""
    connection.execute(text("UPDATE alembic_version SET version_num = :to"), {"to": HEAD})


def test_an_older_database_is_refused_until_it_is_upgraded(
    old_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SchemaTooOldError, match=f"schema {OLD}, this version needs {HEAD}"):
        Database.open(old_url)
    monkeypatch.setattr(schema, "migrate", write_revision)
    assert Database.upgrade(old_url) == (OLD, HEAD)
    Database.open(old_url, create=False).close()


def test_an_interrupted_upgrade_leaves_the_old_schema(
    old_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(connection: Connection) -> None:
        connection.execute(text("DROP VIEW c4_positions"))
        write_revision(connection)
        raise KeyboardInterrupt

    monkeypatch.setattr(schema, "migrate", stop)
    with pytest.raises(KeyboardInterrupt):
        Database.upgrade(old_url)
    with pytest.raises(SchemaTooOldError):
        Database.open(old_url)
    monkeypatch.setattr(schema, "migrate", write_revision)
    Database.upgrade(old_url)
    with Database.open(old_url) as database, database.read() as session:
        assert session.execute(text("SELECT * FROM c4_positions")).all() == []


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
    with Database.open(database_url, clock=clock) as database:
        job_id = job_of_games(database, [EASY])

        def solve_unit(*arguments: object) -> object:
            outcome = ANALYZE.solve_unit(*arguments)
            set_revision(database_url, "c4_9999")
            return outcome

        monkeypatch.setattr("workers.analyze.job.ANALYZE", replace(ANALYZE, solve_unit=solve_unit))
        with working(database) as old:
            old.turn()
            await_that(lambda: old.error is not None)
            assert type(old.error) is SchemaTooNewError
        set_revision(database_url, HEAD)
        assert states(database, job_id) == {UnitState.LEASED: 1}
        clock.time += 60
        taken = must_take(database)
        assert (taken.seq, taken.attempts) == (0, 2)
