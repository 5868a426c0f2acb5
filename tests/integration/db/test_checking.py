"""The check of a database finds damaged pages, impossible rows and wrong scores."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from c4core import Position, Solver
from db.checking import NOTE, Problem, check, solve_again
from db.database import Database
from db.errors import UnreachableError
from db.evaluations import store
from db.games.matches import get_terms
from db.records.evaluations import StoredEvaluation
from db.records.matches import MatchTerms
from tests.support.boards.matches import game, store_match
from tests.support.filled import evaluations, fill_database
from tests.support.jobs import must_take
from tests.support.running.databases import (
    BOARD,
    do,
    execute,
    make_job,
    on_postgresql,
    on_sqlite,
    row,
)
from tests.support.running.servers import PostgreSQLServer


def problems(database: Database) -> list[Problem]:
    return [problem for problem in check(database) if problem.kind != NOTE]


def test_a_used_database_is_sound(untouched: Database) -> None:
    fill_database(untouched, 500)
    assert problems(untouched) == []


@pytest.mark.postgres
@pytest.mark.faults
def test_postgresql_refuses_a_damaged_page() -> None:
    with PostgreSQLServer() as server:
        with Database.open(server.url) as database:
            fill_database(database, 500)
            assert list(check(database)) == []
        with psycopg.connect(server.url, autocommit=True) as connection:
            ((path,),) = connection.execute("SELECT pg_relation_filepath('games')").fetchall()
            connection.execute("CHECKPOINT")
        server.stop()
        with (server.data / path).open("r+b") as file:
            file.seek(-9, 2)  # in a row of the last page
            byte = file.read(1)[0]
            file.seek(-9, 2)
            file.write(bytes([byte ^ 1]))
        server.start()
        with Database.open(server.url) as database:
            (problem,) = check(database)
    assert problem.kind == "damage"
    assert "invalid page in block" in problem.message


@on_postgresql
def test_a_server_without_checksums_is_noted(database: Database) -> None:
    with database.read() as session:
        is_on = session.scalar(text("SELECT current_setting('data_checksums')")) == "on"
    assert [problem.kind for problem in check(database)] == ([] if is_on else [NOTE])


def test_impossible_evaluations_are_found(database: Database) -> None:
    possible = evaluations(20, 1)
    bad = [
        row(1, ply=43, lower=0, upper=0),
        row(2, ply=4, lower=2, upper=20),
        row(3, ply=4, lower=-21, upper=2),
        row(4, ply=4, lower=1, upper=2),
    ]
    do(database, store, BOARD, [*possible, *bad])
    execute(database, "UPDATE evaluations SET scores = :short WHERE lower < upper", short=b"\0" * 7)
    found = problems(database)
    assert {problem.kind for problem in found} == {"evaluation"}
    assert [problem.message.split()[1] for problem in found] == ["1", "2", "3", "4"]
    assert found[1].message == (
        "position 2 of 7x6: bounds 2 to 20 or the column scores are impossible after 4 stones"
    )


def test_inconsistent_jobs_are_found(database: Database) -> None:
    make_job(database, 2)
    must_take(database, lease_seconds=-1.0)  # no problem: the next worker takes it over
    ended, closed, gap = (make_job(database, 2) for _ in range(3))
    # No problem: a worker died after the last unit, before it closed the job. The next worker
    # closes it.
    execute(database, "UPDATE units SET state = 'done' WHERE job_id = :id", id=ended)
    execute(database, "UPDATE jobs SET state = 'done' WHERE id = :id", id=closed)
    execute(database, "UPDATE units SET seq = 7 WHERE job_id = :id AND seq = 1", id=gap)
    assert problems(database) == [
        Problem("job", f"job {closed} is done, but has units that are not"),
        Problem("job", f"job {gap} has lost units: there are gaps in their numbers"),
    ]


def test_a_unit_without_its_job_is_found(sqlite_path: Path) -> None:
    with Database.open(str(sqlite_path)) as database:
        job_id = make_job(database, 1)
    with closing(sqlite3.connect(sqlite_path)) as connection, connection:
        connection.execute("DELETE FROM jobs WHERE id = ?", (job_id,))
    with Database.open(str(sqlite_path)) as database:
        (problem,) = check(database)
    assert problem == Problem("reference", "row 1 of units refers to a missing row of jobs")


@on_postgresql
def test_a_lost_connection_is_not_damage(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(session: Session, match_id: int) -> MatchTerms:
        session.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
        return get_terms(session, match_id)

    store_match(database, [game(0)])
    execute(database, "UPDATE matches SET origin = 'imported'")
    monkeypatch.setattr("db.checking.get_terms", lose)
    with pytest.raises(UnreachableError, match="lost the connection"):
        list(check(database))


@on_sqlite
def test_wrong_scores_are_found(database: Database) -> None:
    moves = ["2252576253462244111563365343671351441"[:end] for end in (33, 34, 35, 36)]
    solver = Solver()
    do(database, store, BOARD, [evaluation_of(solver, Position(text)) for text in moves])
    assert [*solve_again(database, 10)] == [None] * 4
    assert len([*solve_again(database, 2)]) == 2
    lower = "UPDATE evaluations SET lower = upper - 1, upper = upper - 1, scores = NULL"
    assert execute(database, lower) == 4
    found = [problem for problem in solve_again(database, 10) if problem]
    assert len(found) == 4
    assert all("when it is searched again" in problem.message for problem in found)


@on_sqlite
def test_a_key_without_a_position_is_found(database: Database) -> None:
    do(database, store, BOARD, [row(3)])
    (problem,) = solve_again(database, 1)
    assert problem is not None
    assert problem.message.startswith("position 3 of 7x6: ")


def test_the_seed_chooses_the_sample(database: Database) -> None:
    do(database, store, BOARD, [row(3 + 4 * number) for number in range(200)])  # no positions
    samples = [
        [problem and problem.message for problem in solve_again(database, 20, seed=seed)]
        for seed in (1, 1, 2)
    ]
    assert samples[0] == samples[1] != samples[2]
    assert all(len(chosen) == 20 for chosen in samples)


def evaluation_of(solver: Solver, position: Position) -> StoredEvaluation:
    key = position.canonical_key
    found = solver.analyze(Position.from_key(key))
    return row(key, ply=position.ply, lower=found.lower, upper=found.upper, scores=found.scores)
