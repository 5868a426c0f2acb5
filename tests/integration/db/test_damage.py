"""Damaged SQLite files: `c4 db check` finds the damage, and no command reports a fault in c4."""

import math
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from c4core import Position, Solver
from db.database import Database
from db.errors import UnreachableError
from db.evaluations import store
from db.games.matches import get_terms
from db.integrity.rows import sample
from db.jobs import get_job
from db.maintenance import check, solve_again
from db.records.evaluations import StoredEvaluation
from db.records.matches import MatchTerms
from db.types import HighHalf, LowHalf
from tests.support.boards.matches import game, games_of, store_match
from tests.support.damage import (
    evaluations,
    faults,
    felt,
    fill,
    fill_database,
    hostile,
    problems,
    unchecked,
    unnoticed,
)
from tests.support.running.command_line import C4
from tests.support.running.databases import (
    BOARD,
    ask,
    do,
    execute,
    make_job,
    on_postgresql,
    on_sqlite,
    row,
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An intact file with rows in every table."""
    path = tmp_path_factory.mktemp("sound") / "c4.db"
    fill(path, 500)
    return path


def test_every_flip_is_found(sound: Path, tmp_path: Path) -> None:
    assert list(unnoticed(sound, tmp_path / "c4.db", 30, seed=8)) == []


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file with few evaluations."""
    path = tmp_path_factory.mktemp("small") / "c4.db"
    fill(path, 100)
    return path


def test_no_command_reports_damage_as_a_fault_in_c4(small: Path, c4: C4) -> None:
    path = c4.directory / "test.db"
    assert list(faults(c4, felt(small, path, 2, seed=1))) == []
    assert list(faults(c4, hostile(small, path, 4, seed=3))) == []


def test_hostile_values_are_found(small: Path, tmp_path: Path) -> None:
    for damage in hostile(small, tmp_path / "c4.db", 10, seed=5):
        assert problems(tmp_path / "c4.db"), damage


def test_a_fault_caused_by_damage_is_reported_as_damage(small: Path, c4: C4) -> None:
    path = c4.directory / "test.db"
    shutil.copy(small, path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE games SET winner = 7")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("DROP INDEX ix_units_done")
    done = c4("games", "list")
    assert done.code == 1
    assert "test.db is damaged: index ix_units_done is missing; c4 db check lists" in done.err


def test_missing_and_additional_parts_are_found(untouched: Database) -> None:
    for statement in (
        "DROP INDEX ix_units_failed",
        "DROP VIEW c4_games",
        "ALTER TABLE workers DROP COLUMN checksum",
        "ALTER TABLE workers DROP COLUMN note",
        *MAKE_TRIGGER[untouched.dialect],
    ):
        execute(untouched, statement)
    found = "\n".join(f"{problem.kind}: {problem.message}" for problem in check(untouched))
    assert re.search("schema: .*ix_units_failed", found)
    assert "schema: view c4_games is missing" in found
    assert re.search("schema: .*(workers|checksum|note)", found)
    assert "schema: table jobs has a trigger spy, which c4 does not create" in found


MAKE_TRIGGER = {
    "sqlite": ["CREATE TRIGGER spy AFTER UPDATE ON jobs BEGIN DELETE FROM duties; END"],
    "postgresql": [
        "CREATE FUNCTION spy() RETURNS trigger AS 'BEGIN RETURN NEW; END' LANGUAGE plpgsql",
        "CREATE TRIGGER spy AFTER UPDATE ON jobs FOR EACH ROW EXECUTE FUNCTION spy()",
    ],
}


def test_every_write_computes_checksums(untouched: Database) -> None:
    fill_database(untouched, 100)
    assert list(check(untouched)) == []
    execute(untouched, "UPDATE evaluations SET nodes = nodes + 1")
    execute(untouched, "UPDATE units SET error = 'by hand', owner = NULL")
    assert {problem.kind for problem in check(untouched)} <= {"note"}


def test_every_flip_in_the_high_half_of_a_key_is_found(untouched: Database) -> None:
    keys = [(number << 64) + number for number in range(64)]
    change = text("UPDATE evaluations SET key_high = :high WHERE key = :low")
    with untouched.write() as session:
        store(session, BOARD, [row(key) for key in keys])
        with unchecked(session.connection(), "evaluations"):
            for bit, key in enumerate(keys):
                high, low = HighHalf.store(key ^ 1 << 64 + bit), LowHalf.store(key)
                assert session.execute(change, {"high": high, "low": low}).rowcount == 1
    found = [problem.message for problem in check(untouched) if problem.kind == "row"]
    assert len(found) == len(keys)
    assert all(re.match(r"table evaluations, row 7,6,.* has changed", each) for each in found)


def test_any_time_is_accepted(database: Database) -> None:
    """Imported games may have such times. SQLite stores NULL instead of NaN."""
    times = [5e11, 1e12, 1e308, math.inf, -math.inf]
    stored = [game(number, x_seconds=each, o_seconds=-each) for number, each in enumerate(times)]
    match_id = store_match(database, stored)
    found = games_of(database, match_id)
    assert [(each.x_seconds, -each.o_seconds) for each in found] == [(at, at) for at in times]
    job_id = make_job(database, 1)
    execute(database, "UPDATE units SET finished_at = :at", at=math.nan)
    assert ask(database, get_job, job_id).id == job_id
    assert list(check(database)) == []


@on_sqlite
def test_an_impossible_board_is_found(database: Database) -> None:
    do(database, store, BOARD, [row(5)])
    execute(database, "UPDATE evaluations SET height = -3")
    (problem,) = check(database)
    assert problem == (
        "evaluation",
        "position 5 of 7x-3: impossible board 7x-3: it needs a column and a row",
    )


def test_every_flip_in_the_high_half_of_a_final_key_is_found(database: Database) -> None:
    """Games have no checksum for it: they are replayed, or their final grids are read."""
    final = {"final_key": game().final_key, "moves": None}
    stored = [game(number, **(final if number >= 64 else {})) for number in range(128)]
    store_match(database, stored)
    change = "UPDATE games SET final_key_high = :high WHERE number % 64 = :bit"
    for bit in range(64):
        execute(database, change, high=HighHalf.store(1 << 64 + bit), bit=bit)
    assert len([problem for problem in check(database) if problem.kind == "match"]) == 128


@on_postgresql
def test_a_lost_connection_is_not_damage(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(session: Session, match_id: int) -> MatchTerms:
        session.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        return get_terms(session, match_id)

    for _ in range(3):
        store_match(database, [game(0)])
    monkeypatch.setattr("db.integrity.rows.get_terms", lose)
    with pytest.raises(UnreachableError, match="lost the connection"):
        list(check(database))


@pytest.mark.parametrize("column", ["ending", "moves"])
def test_a_text_that_is_not_utf_8_is_found(sqlite_path: Path, column: str) -> None:
    with Database.open(str(sqlite_path)) as database:
        first, second = (store_match(database, [game(0)]) for _ in range(2))
        execute(
            database,
            f"UPDATE games SET {column} = CAST(x'ff' AS TEXT) WHERE match_id = :id",  # noqa: S608
            id=first,
        )
        execute(database, "UPDATE games SET length = 3 WHERE match_id > :id", id=first)
        found = [each.message for each in check(database) if each.kind == "match"]
    assert found[0].startswith(f"match {first} cannot be read to the end: ")
    assert found[1] == f"game {second}:0: it has 7 moves, but the row says 3"


@on_sqlite
def test_wrong_scores_are_found(database: Database) -> None:
    moves = ["2252576253462244111563365343671351441"[:end] for end in (33, 34, 35, 36)]
    solver = Solver()
    rows = [evaluation_of(solver, Position(text)) for text in moves]
    do(database, store, BOARD, rows)
    assert [*solve_again(database, 10)] == [None] * 4
    assert len([*solve_again(database, 2)]) == 2
    lower = "UPDATE evaluations SET lower = upper - 1, upper = upper - 1, scores = NULL"
    assert execute(database, lower) == 4
    found = [problem for problem in solve_again(database, 10) if problem]
    assert len(found) == 4
    assert all("when it is searched again" in problem.message for problem in found)


@on_sqlite
def test_the_seed_chooses_the_sample(database: Database) -> None:
    do(database, store, BOARD, evaluations(200, 1))
    with database.read() as session:
        samples = [sample(session, 20, seed) for seed in (1, 1, 2)]
    assert samples[0] == samples[1] != samples[2]
    assert all(len(set(chosen)) == 20 for chosen in samples)


def evaluation_of(solver: Solver, position: Position) -> StoredEvaluation:
    key = position.canonical_key
    found = solver.analyze(Position.from_key(key))
    return row(key, ply=position.ply, lower=found.lower, upper=found.upper, scores=found.scores)
