"""``c4 db repair``: the rows that it drops, queues again and keeps."""

import pytest
from sqlalchemy import text

from c4core import Position
from db import jobs
from db.database import Database
from db.errors import DamagedValueError
from db.evaluations import count, find, store, stream
from db.maintenance import check, repair
from db.records.evaluations import EvaluationFilter
from db.records.jobs import JobState
from tests.support.boards.games import random_games
from tests.support.running.databases import BOARD, ask, do, on_sqlite, row
from tests.support.units import job_of_games
from workers.core.kinds import independent_kinds
from workers.runners.local import LocalRunner

EVERYTHING = EvaluationFilter(board=BOARD)
GAMES = random_games(4, empty=8)
SHIFT = 1 << 63


@pytest.fixture
def job_id(database: Database) -> int:
    """A finished job with one unit for each game."""
    job_id = job_of_games(database, GAMES, unit_lines=1)
    with LocalRunner(database, job_id, table_mb=1) as runner:
        assert runner.wait().state is JobState.DONE
    return job_id


def damage(database: Database, statement: str, **values: object) -> None:
    with database.write() as session:
        assert session.connection().execute(text(statement), values).rowcount == 1


def work(database: Database, job_id: int) -> JobState:
    with LocalRunner(database, job_id, table_mb=1) as runner:
        return runner.wait().state


def repairs(database: Database) -> list[tuple[str, str]]:
    return [(each.action, each.message) for each in repair(database, independent_kinds())]


def damaged_scores(database: Database) -> int:
    """Damage the column scores of a position; return its key."""
    key = Position(GAMES[1]).canonical_key
    new = b"\0" * 11
    statement = "UPDATE evaluations SET scores = :new WHERE key = :key"
    damage(database, statement, new=new, key=key - SHIFT)
    return key


def test_damaged_evaluations_are_dropped_and_intact_ones_stay(
    database: Database, job_id: int
) -> None:
    del job_id
    rows = {
        each.key: each for each in ask(database, lambda session: list(stream(session, EVERYTHING)))
    }
    lost = damaged_scores(database)
    impossible = Position(GAMES[2]).canonical_key
    damage(database, "UPDATE evaluations SET upper = 40 WHERE key = :key", key=impossible - SHIFT)
    with (
        database.read() as session,
        pytest.raises(DamagedValueError, match=f"position {lost} of 7x6"),
    ):
        list(stream(session, EVERYTHING))
    found = repairs(database)
    assert [action for action, _ in found] == ["dropped", "dropped"]
    assert {message.split()[1] for _, message in found} == {str(lost), str(impossible)}
    del rows[lost], rows[impossible]
    left = ask(database, lambda session: list(stream(session, EVERYTHING)))
    assert {each.key: each for each in left} == rows
    assert list(check(database)) == []
    assert repairs(database) == []


@on_sqlite
def test_a_row_with_values_of_wrong_types_is_dropped(database: Database) -> None:
    do(database, store, BOARD, [row(key) for key in (1, 2)])
    damage(database, "UPDATE evaluations SET nodes = 'many' WHERE key = :key", key=1 - SHIFT)
    ((action, message), *_) = repairs(database)
    assert (action, message.split(" has ")[0]) == (
        "dropped",
        f"table evaluations, row 7,6,{1 - SHIFT},0",
    )
    assert ask(database, find, BOARD, 1) is None


def test_a_unit_with_a_damaged_result_is_solved_again(database: Database, job_id: int) -> None:
    before = ask(database, jobs.unit_results, job_id)
    change = "UPDATE units SET {0} = replace({0}, '\"', ' \"') WHERE seq = :seq"
    damage(database, change.format("result"), seq=1)
    damage(database, change.format("payload"), seq=2)
    (first, second) = repairs(database)
    assert first[0] == "queued again"
    assert (second[0], "column payload" in second[1]) == ("remains", True)
    damage(database, "UPDATE units SET payload = replace(payload, ' \"', '\"') WHERE seq = 2")
    assert ask(database, jobs.state_of, job_id) is JobState.RUNNING
    assert work(database, job_id) is JobState.DONE
    after = ask(database, jobs.unit_results, job_id)
    assert [unit.result["score"] for unit in after] == [unit.result["score"] for unit in before]
    assert list(check(database)) == []


def test_a_worker_replaces_a_damaged_row(database: Database, job_id: int) -> None:
    del job_id
    stored = ask(database, count, EVERYTHING)
    key = damaged_scores(database)
    assert ask(database, find, BOARD, key) is None
    again = job_of_games(database, GAMES, unit_lines=1)
    assert work(database, again) is JobState.DONE
    assert ask(database, find, BOARD, key).scores is not None
    assert ask(database, count, EVERYTHING) == stored
    assert list(check(database)) == []
