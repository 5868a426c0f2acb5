"""Databases of every older revision, with rows in them, are upgraded, also while they are used."""

import json
import math
import sqlite3
import threading
import time
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import Connection, create_engine, inspect, text

from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import jobs, schema
from db.database import Database
from db.engine import make_engine
from db.errors import MatchInUseError, OldProcessesError, SchemaTooNewError, SchemaTooOldError
from db.evaluations import find, find_without_waiting, lookup, store, stream
from db.games import delete_match
from db.maintenance import check, stats
from db.migrations import FIRST_WATCHED, HEAD, REVISIONS
from db.records.evaluations import EvaluationFilter
from db.records.jobs import UnitState
from db.schema import alembic_config
from db.types import KEY_SHIFT, seal_object
from db.urls import parse_url
from tests.support.boards.games import EASY
from tests.support.boards.matches import game, games_of, store_match, terms
from tests.support.damage import unchecked
from tests.support.jobs import finish, must_take, ring, take_unit
from tests.support.running.databases import BOARD, FakeClock, ask, do, make_job, row, worker
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.units import job_of_games, states, unit_worker
from workers.analyze.job import ANALYZE
from workers.core.kinds import Lane

C4_0001 = """
INSERT INTO evaluations VALUES (7, 6, -9223372036854775803, 8, 2, 2, 100, 1, NULL, 1e9);
INSERT INTO evaluations VALUES (7, 6, :key, 4, -2, -2, 5, 1, :scores, 1e9);
INSERT INTO jobs VALUES
    (4, 'analyze', 7, 6, 'running', 0, 'mine', '{"a": 1}', :engine, 1e9, 1e9, NULL);
INSERT INTO units VALUES
    (11, 4, 0, 'done', '{"n": 0}', 5, 1, 1, NULL, NULL, '{"r": 0}', NULL, 9, 0.5, 1e9),
    (12, 4, 1, 'queued', '{"n": 1}', 5, 1, 1, NULL, NULL, NULL, 'broken', 0, 0, NULL),
    (13, 4, 2, 'leased', '{"n": 2}', 5, 2, 2, 'ada', 1e9, NULL, NULL, 0, 0, NULL)
"""
"""Rows in the form of the first revision."""

POSITION = Position("4453")
SCORES = (-5, -5, -2, -3, -4, -2, -2)


@pytest.fixture
def old_url(database_url: str) -> str:
    """A used database of the first revision."""
    make_old(database_url)
    return database_url


@pytest.fixture
def old_path(sqlite_path: Path) -> Path:
    """The same, always as a file."""
    make_old(f"sqlite:///{sqlite_path}")
    return sqlite_path


def make_old(database_url: str) -> None:
    """Take a database back to the first revision, and insert its rows."""
    values = {
        "engine": ENGINE_VERSION,
        "key": POSITION.canonical_key - KEY_SHIFT,
        "scores": array("b", SCORES).tobytes(),
    }
    with changed_to("c4_0001", database_url) as connection:
        insert(connection, C4_0001, **values)


def insert(connection: Connection, statements: str, **values: object) -> None:
    for statement in statements.split(";"):
        connection.execute(text(statement), values)


@contextmanager
def changed_to(revision: str, url: str) -> Iterator[Connection]:
    """Upgrade or downgrade a database; the changes of the context are in the same transaction."""
    with connected(url) as connection:
        (current,) = MigrationContext.configure(connection).get_current_heads()
        change = command.upgrade if current < revision else command.downgrade
        if current != revision:
            change(alembic_config(connection), revision)
        yield connection


def change_to(revision: str, url: str) -> None:
    with changed_to(revision, url):
        pass


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    engine = create_engine(parse_url(url))
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def await_disconnected(url: str) -> None:
    """Wait until PostgreSQL has noticed that C4's connections were closed."""
    if url.startswith("postgresql"):
        others = "SELECT FROM pg_stat_activity WHERE datname = current_database()"
        with psycopg.connect(url, autocommit=True) as connection:
            query = f"{others} AND application_name = 'c4'"
            await_that(lambda: not connection.execute(query).fetchall())


def test_an_older_database_is_upgraded_and_works(old_url: str) -> None:
    with pytest.raises(SchemaTooOldError, match=f"schema c4_0001, this version needs {HEAD}"):
        Database.open(old_url)
    await_disconnected(old_url)
    assert Database.upgrade(old_url) == ("c4_0001", HEAD)
    with Database.open(old_url, create=False) as database:
        assert_stored_rows_stay(database)
        assert_job_goes_on(database)
        match_id = store_match(database, [game(0)])
        assert [each.number for each in games_of(database, match_id)] == [0]


def assert_stored_rows_stay(database: Database) -> None:
    with database.read() as session:
        stored = find(session, BOARD, 5)
        assert stored is not None
        assert (stored.score, stored.nodes) == (2, 100)
        known = find(session, BOARD, POSITION.canonical_key)
        assert known is not None
        assert known.scores == SCORES
        (job,) = jobs.list_jobs(session)
        assert (job.id, job.label, job.params) == (4, "mine", {"a": 1})
        results = jobs.unit_results(session, 4)
        assert jobs.progress(session, 4).eta_seconds is None
        assert jobs.totals(session).live_workers == ()
    assert [unit.payload for unit in results] == [{"n": 0}, {"n": 1}, {"n": 2}]
    assert [unit.result for unit in results] == [{"r": 0}, None, None]


def assert_job_goes_on(database: Database) -> None:
    assert ring(database) == [12]
    for unit_id in (12, 13):
        taken = take_unit(database, unit_id)
        assert taken is not None
        assert taken.attempts == 2
        assert finish(database, taken)
    assert ask(database, jobs.get_job, 4).units[UnitState.DONE] == 3
    problems = {problem.kind for problem in check(database)}
    assert problems == {"evaluation"}  # the row above is not a position


def test_heartbeats_duties_and_corpora_are_kept(old_url: str) -> None:
    fill_0004(old_url)
    with pytest.raises(OldProcessesError) as refused:
        Database.upgrade(old_url)
    assert "in use by a process at job 4, a process at job 5." in str(refused.value)
    assert Database.upgrade(old_url, force=True) == ("c4_0004", HEAD)
    with Database.open(old_url) as database:
        assert ask(database, jobs.attended_jobs) == {4}
        assert ask(database, jobs.abandoned_jobs) == {6}
        assert not do(database, jobs.acquire_duty, "sweep", 1e12)
        assert {table.name: table.rows for table in stats(database).tables}["duties"] == 1
        for used in (1, 2):
            with database.write() as session, pytest.raises(MatchInUseError) as caught:
                delete_match(session, used)
            assert (caught.value.match_id, caught.value.used_by) == (used, 4)
        found = [problem for problem in check(database) if problem.kind in {"row", "match"}]
        do(database, delete_match, 4)
        do(database, delete_match, 2)
    damaged, unreadable, gone = found
    assert "table matches, row 3, column terms" in damaged.message
    assert "match 3 cannot be read" in unreadable.message
    assert gone.message == "match 4: its terms and table corpus_matches name different matches"


C4_0004 = """
INSERT INTO jobs (id, kind, width, height, state, priority, params, engine_version, created_at)
    VALUES (5, 'analyze', 7, 6, 'planning', 0, :params, :engine, 1e9),
    (6, 'analyze', 7, 6, 'planning', 0, :params, :engine, 1e9);
INSERT INTO turns (name, taken_at) VALUES ('sweep', 1e9), ('working.4', :now), ('working.9', :now),
    ('planning.5', :now), ('planning.6', 1e9)
"""
MATCH = """
INSERT INTO matches (id, origin, player_a, player_b, width, height, terms, is_whole, created_at)
    VALUES (:id, 'played', 'a', 'b', 7, 6, :terms, true, 1e9)
"""


def fill_0004(database_url: str) -> None:
    """Upgrade to the fourth revision, and insert heartbeats and matches."""
    values = {"params": seal_object("{}"), "engine": ENGINE_VERSION, "now": time.time() + 5}
    with changed_to("c4_0004", database_url) as connection:
        insert(connection, C4_0004, **values)
        for match_id, corpus in ((1, ()), (2, ()), (3, (1, 2)), (4, (1, 2, 99))):
            agreed = terms(games=1, corpus=corpus)
            sealed = seal_object(json.dumps(agreed.as_json(), separators=(",", ":")))
            if match_id == 3:  # damaged terms name no match
                sealed = sealed.replace('"games":1', '"games":2')
            insert(connection, MATCH, id=match_id, terms=sealed)


OWN_SCHEMA = """
CREATE VIEW mine AS SELECT label, count(*) AS units FROM jobs JOIN units ON job_id = jobs.id;
CREATE VIEW missing AS SELECT * FROM nowhere;
CREATE TABLE notes (note);
CREATE TRIGGER done AFTER UPDATE OF state ON units WHEN new.state = 'done'
    BEGIN INSERT INTO notes SELECT label FROM jobs WHERE id = new.job_id; END;
CREATE TRIGGER noted AFTER DELETE ON notes BEGIN UPDATE jobs SET label = old.note; END
"""
"""A user's own objects in a file, around the tables of the first revision."""


@pytest.mark.parametrize("revision", ["c4_0001", "c4_0004"])
def test_the_users_own_views_and_triggers_are_kept(old_path: Path, revision: str) -> None:
    url = f"sqlite:///{old_path}"
    change_to(revision, url)
    with closing(sqlite3.connect(old_path)) as file:
        file.executescript(OWN_SCHEMA)
    assert Database.upgrade(url) == (revision, HEAD)
    with closing(sqlite3.connect(old_path)) as file, file:
        assert file.execute("SELECT * FROM mine").fetchall() == [("mine", 3)]
        file.execute("UPDATE units SET state = 'done' WHERE id = 12")
        assert file.execute("SELECT * FROM notes").fetchall() == [("mine",)]
        file.execute("UPDATE notes SET note = 'new'")
        file.execute("DELETE FROM notes")
        assert file.execute("SELECT label FROM jobs").fetchall() == [("new",)]
    with Database.open(url) as database, database.read() as session:
        assert session.scalar(text("PRAGMA legacy_alter_table")) == 0
        assert session.scalar(text("PRAGMA foreign_keys")) == 1


def test_damaged_rows_are_kept_and_found_by_the_check(old_path: Path) -> None:
    damages = (
        "UPDATE jobs SET params = x'7b7d'",
        "UPDATE units SET payload = CAST(x'7b226e223aff7d' AS TEXT) WHERE seq = 1",
        "UPDATE units SET payload = x'ff00' WHERE seq = 2",
        "UPDATE units SET result = 5 WHERE seq = 0",
        "UPDATE evaluations SET scores = CAST(x'ff' AS TEXT) WHERE ply = 4",
        "UPDATE evaluations SET scores = 'damaged' WHERE ply = 8",
    )
    values = (
        "SELECT CAST(params AS BLOB), typeof(params) FROM jobs UNION ALL "
        "SELECT CAST(payload AS BLOB), typeof(payload) FROM units WHERE seq > 0 UNION ALL "
        "SELECT CAST(scores AS BLOB), typeof(scores) FROM evaluations"
    )
    with closing(sqlite3.connect(old_path)) as connection, connection:
        for statement in damages:
            assert connection.execute(statement).rowcount == 1
        before = connection.execute(values).fetchall()
    Database.upgrade(f"sqlite:///{old_path}")
    with closing(sqlite3.connect(old_path)) as connection:
        assert connection.execute(values).fetchall() == before
    with Database.open(str(old_path)) as database:
        found = "\n".join(problem.message for problem in check(database))
    for unit_id in (11, 12, 13):
        assert f"table units, row {unit_id}" in found
    assert "table jobs, row 4 has changed" in found
    assert found.count("table evaluations, row 7,6,") == 2


def test_a_changed_row_is_found_after_an_upgrade(old_path: Path) -> None:
    change_to("c4_0004", f"sqlite:///{old_path}")
    content = old_path.read_bytes()
    assert content.count(b"mine") == 2  # in the label, and after it in the checksum
    old_path.write_bytes(content.replace(b"mine", b"mind", 1))
    Database.upgrade(f"sqlite:///{old_path}")
    with Database.open(str(old_path)) as database:
        (problem,) = (problem for problem in check(database) if problem.kind == "row")
    assert problem.message.startswith("table jobs, row 4 has changed")


def test_damaged_evaluations_are_left_out_of_the_new_table(old_url: str) -> None:
    with changed_to("c4_0007", old_url) as connection:
        with unchecked(connection, "evaluations"):
            connection.execute(text("UPDATE evaluations SET nodes = 7 WHERE ply = 4"))
        assert connection.scalar(text("SELECT count(*) FROM evaluations")) == 2
    assert Database.upgrade(old_url) == ("c4_0007", HEAD)
    with Database.open(old_url) as database:
        assert [row.key for row in stream(database, EvaluationFilter(board=BOARD))] == [5]
        assert "row" not in {problem.kind for problem in check(database)}


def test_narrow_rows_survive_an_upgrade_and_a_downgrade(database_url: str) -> None:
    """Also with games and views, and an index, a trigger and a view of the user's own."""
    with Database.open(database_url) as database:
        match_id = store_match(database, [game(0), game(1, moves=None, final_key=2**100 + 3)])
        rows = [row(POSITION.canonical_key, ply=4, scores=SCORES), row(2**64 - 1), row(2**64)]
        do(database, store, BOARD, rows)
    with changed_to("c4_0007", database_url) as connection:
        connection.execute(text("CREATE INDEX mine ON evaluations (nodes)"))
        connection.execute(text("CREATE VIEW keys AS SELECT key FROM c4_positions"))
        assert connection.scalar(text("SELECT count(*) FROM c4_positions")) == 2
    assert Database.upgrade(database_url) == ("c4_0007", HEAD)
    with connected(database_url) as connection:
        indexes = {index["name"] for index in inspect(connection).get_indexes("evaluations")}
        assert indexes == {"mine", "ix_evaluations_width_height_ply_key"}
        keys = {int(key) for key in connection.scalars(text("SELECT key FROM keys"))}
        assert keys == {each.key for each in rows[:2]}
    with Database.open(database_url) as database:
        stored = ask(database, lookup, BOARD, [each.key for each in rows])
        assert {key: each._replace(updated_at=0) for key, each in stored.items()} == {
            each.key: each for each in rows[:2]
        }
        assert [each.final_key for each in games_of(database, match_id)] == [game(0).final_key, 3]
        assert do(database, store, BOARD, [rows[0]._replace(nodes=101), rows[2]]) == 2
        assert {problem.kind for problem in check(database)} <= {"evaluation", "match"}


def test_an_interrupted_upgrade_leaves_the_old_schema(
    old_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_to("c4_0007", old_url)
    add_column = Operations.add_column

    def stop(operations: Operations, table: str, *arguments: Any) -> None:  # noqa: ANN401
        if table == "games":  # the evaluations have their new form by now
            raise KeyboardInterrupt
        add_column(operations, table, *arguments)

    with monkeypatch.context() as changes:
        changes.setattr(Operations, "add_column", stop)
        with pytest.raises(KeyboardInterrupt):
            Database.upgrade(old_url)
    with pytest.raises(SchemaTooOldError, match="schema c4_0007"):
        Database.open(old_url)
    assert Database.upgrade(old_url) == ("c4_0007", HEAD)
    with Database.open(old_url) as database:
        assert_stored_rows_stay(database)
        assert_job_goes_on(database)


def test_rows_with_any_time_are_upgraded(old_url: str) -> None:
    insert = text(
        "INSERT INTO units (id, job_id, seq, state, payload, positions, fence, attempts, nodes, "
        "seconds, finished_at, announced_at) VALUES "
        "(:id, 4, :id - 11, 'done', '{}', 5, 1, 1, 9, :seconds, :at, 0)"
    )
    with changed_to("c4_0003", old_url) as connection:
        for unit_id, at in enumerate([1e12, 1e308, math.inf, -math.inf, math.nan], 14):
            # SQLite stores NULL for a value that is not a number.
            seconds = 1e12 if math.isnan(at) else at
            connection.execute(insert, {"id": unit_id, "seconds": seconds, "at": at})
    assert Database.upgrade(old_url) == ("c4_0003", HEAD)
    with Database.open(old_url) as database:
        assert {problem.kind for problem in check(database)} == {"evaluation", "note"}


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
        (unit_id,) = ring(database)

        def solve_unit(*arguments: object) -> object:
            outcome = ANALYZE.solve_unit(*arguments)
            set_revision(database_url, "c4_9999")
            return outcome

        monkeypatch.setattr("workers.analyze.job.ANALYZE", replace(ANALYZE, solve_unit=solve_unit))
        with unit_worker(database, on_fatal=fatal.append) as old:
            assert old.work_on(unit_id, Lane.BULK) is False
        assert [type(error) for error in fatal] == [SchemaTooNewError]
        set_revision(database_url, HEAD)
        assert states(database, job_id) == {UnitState.LEASED: 1}
        clock.time += 60
        taken = must_take(database, owner="new")
        assert (taken.unit_id, taken.attempts) == (unit_id, 1)


LAST_UNWATCHED = REVISIONS[REVISIONS.index(FIRST_WATCHED) - 1]
"""The last revision whose processes do not notice an upgrade."""


def test_an_upgrade_is_refused_while_old_processes_run(database_url: str) -> None:
    with Database.open(database_url) as database:
        do(database, jobs.record_worker_heartbeat, worker("ada"))
        job_id = make_job(database)
        do(database, jobs.record_runner_heartbeat, job_id)
        must_take(database, owner="lovelace:7")
    change_to(LAST_UNWATCHED, database_url)
    with pytest.raises(OldProcessesError) as refused:
        Database.upgrade(database_url)
    assert (
        "in use by worker ada (c4 1.0), process lovelace:7, which holds leases, "
        f"a process at job {job_id}. Older versions"
    ) in str(refused.value)
    assert Database.upgrade(database_url, force=True) == (LAST_UNWATCHED, HEAD)


@ON_POSTGRESQL
def test_an_open_connection_counts_as_an_old_process(database_url: str) -> None:
    change_to(LAST_UNWATCHED, database_url)
    with (
        psycopg.connect(database_url, application_name="c4"),
        pytest.raises(OldProcessesError, match="in use by a connection of c4 from "),
    ):
        Database.upgrade(database_url)
    await_disconnected(database_url)
    Database.upgrade(database_url)


def test_an_open_file_counts_as_an_old_process(sqlite_path: Path) -> None:
    url = f"sqlite:///{sqlite_path}"
    change_to(LAST_UNWATCHED, url)
    with closing(sqlite3.connect(sqlite_path)) as other:
        other.execute("SELECT * FROM jobs").fetchall()
        with pytest.raises(OldProcessesError, match=r"another process \(`fuser .*c4.db`"):
            Database.upgrade(url)
    Database.upgrade(url)
    with closing(sqlite3.connect(sqlite_path)) as other:
        assert other.execute("SELECT version_num FROM alembic_version").fetchall() == [(HEAD,)]
