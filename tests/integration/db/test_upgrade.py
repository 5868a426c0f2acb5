"""Databases of every older revision, with rows in them, are upgraded."""

import json
import math
import sqlite3
import time
from array import array
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.operations import Operations
from sqlalchemy import Connection, create_engine, inspect, text

from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import jobs
from db.database import Database
from db.errors import MatchInUseError, OldProcessesError, SchemaTooOldError
from db.evaluations import find, lookup, store, stream
from db.games import delete_match
from db.maintenance import check, stats
from db.migrations import HEAD
from db.records.evaluations import EvaluationFilter
from db.records.jobs import UnitState
from db.registry import acquire_duty
from db.schema import alembic_config
from db.types import KEY_SHIFT, seal_object
from db.urls import parse_url
from tests.support.boards.matches import game, games_of, store_match, terms
from tests.support.damage import unchecked
from tests.support.jobs import finish, take_unit
from tests.support.running.databases import BOARD, ask, do, row

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
    with connected(database_url) as connection:
        command.downgrade(alembic_config(connection), "c4_0001")
        for statement in C4_0001.split(";"):
            values = {
                "engine": ENGINE_VERSION,
                "key": POSITION.canonical_key - KEY_SHIFT,
                "scores": array("b", SCORES).tobytes(),
            }
            connection.execute(text(statement), values)


def test_an_older_database_is_upgraded_and_works(old_url: str) -> None:
    with pytest.raises(SchemaTooOldError, match=f"schema c4_0001, this version needs {HEAD}"):
        Database.open(old_url)
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
    options = {"engine_version": ENGINE_VERSION, "interactive": False, "limit": 9}
    assert do(database, jobs.announce, **options) == [12]
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
        assert not do(database, acquire_duty, "sweep", 1e12)
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


def fill_0004(database_url: str) -> None:
    """Upgrade to the fourth revision, and insert heartbeats and matches."""
    with connected(database_url) as connection:
        command.upgrade(alembic_config(connection), "c4_0004")
        for job_id in (5, 6):
            connection.execute(
                text(
                    "INSERT INTO jobs (id, kind, width, height, state, priority, params, "
                    "engine_version, created_at) VALUES "
                    "(:id, 'analyze', 7, 6, 'planning', 0, :params, :engine, 1e9)"
                ),
                {"id": job_id, "params": seal_object("{}"), "engine": ENGINE_VERSION},
            )
        now = time.time()
        for name, taken_at in (
            ("sweep", 1e9),
            ("working.4", now),
            ("working.9", now),
            ("planning.5", now),
            ("planning.6", 1e9),
        ):
            connection.execute(
                text("INSERT INTO turns (name, taken_at) VALUES (:name, :at)"),
                {"name": name, "at": taken_at},
            )
        for match_id, corpus in ((1, ()), (2, ()), (3, (1, 2)), (4, (1, 2, 99))):
            agreed = terms(games=1, corpus=corpus)
            sealed = seal_object(json.dumps(agreed.as_json(), separators=(",", ":")))
            connection.execute(
                text(
                    "INSERT INTO matches (id, origin, player_a, player_b, width, height, terms, "
                    "is_whole, created_at) VALUES "
                    "(:id, 'played', 'a', 'b', 7, 6, :terms, :is_whole, 1e9)"
                ),
                {
                    "id": match_id,
                    # Damaged terms name no match.
                    "terms": sealed.replace('"games":1', '"games":2') if match_id == 3 else sealed,
                    "is_whole": True,
                },
            )


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
    with connected(url) as connection:
        command.upgrade(alembic_config(connection), revision)
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
    with connected(f"sqlite:///{old_path}") as connection:
        command.upgrade(alembic_config(connection), "c4_0004")
    content = old_path.read_bytes()
    assert content.count(b"mine") == 2  # in the label, and after it in the checksum
    old_path.write_bytes(content.replace(b"mine", b"mind", 1))
    Database.upgrade(f"sqlite:///{old_path}")
    with Database.open(str(old_path)) as database:
        (problem,) = (problem for problem in check(database) if problem.kind == "row")
    assert problem.message.startswith("table jobs, row 4 has changed")


def test_damaged_evaluations_are_left_out_of_the_new_table(old_url: str) -> None:
    with connected(old_url) as connection:
        command.upgrade(alembic_config(connection), "c4_0007")
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
    with connected(database_url) as connection:
        command.downgrade(alembic_config(connection), "c4_0007")
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
    with connected(old_url) as connection:
        command.upgrade(alembic_config(connection), "c4_0007")
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
    with connected(old_url) as connection:
        command.upgrade(alembic_config(connection), "c4_0003")
        for unit_id, at in enumerate([1e12, 1e308, math.inf, -math.inf, math.nan], 14):
            # SQLite stores NULL for a value that is not a number.
            seconds = 1e12 if math.isnan(at) else at
            connection.execute(insert, {"id": unit_id, "seconds": seconds, "at": at})
    assert Database.upgrade(old_url) == ("c4_0003", HEAD)
    with Database.open(old_url) as database:
        assert {problem.kind for problem in check(database)} == {"evaluation", "note"}


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    engine = create_engine(parse_url(url))
    with engine.begin() as connection:
        yield connection
    engine.dispose()
