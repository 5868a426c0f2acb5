"""Damaged values: repair drops or keeps rows and queues units again, and workers finish the job.

Units that need damaged values fail; all other units are done, and the job ends.
"""

import pytest

from c4core import Position
from db import jobs
from db.database import Database
from db.errors import DamagedValueError
from db.evaluations import count, find, store, stream
from db.jobs import record_worker_heartbeat
from db.maintenance import check, repair
from db.records.evaluations import EvaluationFilter, StoredEvaluation
from db.records.jobs import MAX_ATTEMPTS, JobInfo, JobState, UnitState
from tests.support.boards.games import random_games
from tests.support.boards.matches import RANDOM, terms
from tests.support.jobs import unit_ids
from tests.support.running.databases import BOARD, ask, do, execute, on_sqlite, row, worker
from tests.support.units import job_of_games, states, unit_worker
from workers.core.kinds import TAKES_PROGRAMS, Lane, independent_kinds
from workers.match.job import plan_matches
from workers.runners.local import LocalRunner

EVERYTHING = EvaluationFilter(board=BOARD)
GAMES = random_games(4, empty=8)
SHIFT = 1 << 63


def make(database: Database) -> int:
    """Make a job with one unit for each game."""
    return job_of_games(database, GAMES, unit_lines=1)


@pytest.fixture
def job_id(database: Database) -> int:
    """A finished job."""
    job_id = make(database)
    assert work(database, job_id).state is JobState.DONE
    return job_id


def damage(database: Database, statement: str, **values: object) -> None:
    assert execute(database, statement, **values) == 1


def work(database: Database, job_id: int) -> JobInfo:
    """Work on a job in this process until it has ended; return its final state."""
    with LocalRunner(database, job_id, threads=3, table_mb=1) as runner:
        return runner.wait()


def rows(database: Database) -> dict[int, StoredEvaluation]:
    stored = ask(database, lambda session: list(stream(session, EVERYTHING)))
    return {each.key: each for each in stored}


def repairs(database: Database) -> list[tuple[str, str]]:
    return [(each.action, each.message) for each in repair(database, independent_kinds())]


def damaged_scores(database: Database) -> int:
    """Damage the column scores of a position; return its key."""
    key = Position(GAMES[1]).canonical_key
    statement = "UPDATE evaluations SET scores = :new WHERE key = :key"
    damage(database, statement, new=b"\0" * 11, key=key - SHIFT)
    return key


@pytest.mark.usefixtures("job_id")
def test_damaged_evaluations_are_dropped_and_intact_ones_stay(database: Database) -> None:
    intact = rows(database)
    lost = damaged_scores(database)
    impossible = Position(GAMES[2]).canonical_key
    damage(database, "UPDATE evaluations SET upper = 40 WHERE key = :key", key=impossible - SHIFT)
    with pytest.raises(DamagedValueError, match=f"position {lost} of 7x6"):
        rows(database)
    found = repairs(database)
    assert [action for action, _ in found] == ["dropped", "dropped"]
    assert {message.split()[1] for _, message in found} == {str(lost), str(impossible)}
    del intact[lost], intact[impossible]
    assert rows(database) == intact
    assert list(check(database)) == []
    assert repairs(database) == []


@on_sqlite
def test_a_row_with_values_of_wrong_types_is_dropped(database: Database) -> None:
    do(database, store, BOARD, [row(key) for key in (1, 2)])
    damage(database, "UPDATE evaluations SET nodes = 'many' WHERE key = :key", key=1 - SHIFT)
    ((action, message), *_) = repairs(database)
    assert action == "dropped"
    assert message.startswith(f"table evaluations, row 7,6,{1 - SHIFT},0 has ")
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
    assert work(database, job_id).state is JobState.DONE
    after = ask(database, jobs.unit_results, job_id)
    assert [unit.result["score"] for unit in after] == [unit.result["score"] for unit in before]
    assert list(check(database)) == []


@pytest.mark.usefixtures("job_id")
def test_a_worker_replaces_a_damaged_row(database: Database) -> None:
    stored = ask(database, count, EVERYTHING)
    key = damaged_scores(database)
    assert ask(database, find, BOARD, key) is None
    assert work(database, make(database)).state is JobState.DONE
    assert ask(database, find, BOARD, key).scores is not None
    assert ask(database, count, EVERYTHING) == stored
    assert list(check(database)) == []


@on_sqlite
def test_parameters_may_be_damaged_while_the_job_runs(database: Database) -> None:
    job_id = make(database)
    runner = LocalRunner(database, job_id, table_mb=1)
    damage(database, "UPDATE jobs SET params = replace(params, 'false', 'fault')")
    with runner, pytest.raises(DamagedValueError):  # raised at the end, when the work is done
        runner.wait()
    assert do(database, jobs.finish_if_complete, job_id) is JobState.FAILED


def damage_terms(database: Database, match_id: int) -> None:
    statement = "UPDATE matches SET terms = replace(terms, 'form', 'farm') WHERE id = :id"
    damage(database, statement, id=match_id)


@on_sqlite
def test_damaged_terms_of_a_match(database: Database) -> None:
    submitted = plan_matches(database, [terms(games=4), terms(games=4, player_a=RANDOM)])
    damage_terms(database, submitted.match_ids[0])
    job = work(database, submitted.job_id)
    assert job.state is JobState.FAILED
    assert states(database, job.id) == {UnitState.DONE: 1, UnitState.FAILED: 1}
    assert job.errors[0].startswith("DamagedValueError: a stored JSON object is damaged")


@on_sqlite
def test_damaged_terms_of_a_match_with_a_claimed_unit(database: Database) -> None:
    """The unit is not left to other workers, because it is unknown whether it needs a program."""
    submitted = plan_matches(database, [terms(games=4)])
    do(database, record_worker_heartbeat, worker("bob", queues=(Lane.BULK.queue, TAKES_PROGRAMS)))
    damage_terms(database, submitted.match_ids[0])
    (unit_id,) = unit_ids(database, submitted.job_id)
    with unit_worker(database) as site:
        for _ in range(MAX_ATTEMPTS):
            assert site.work_on(unit_id, Lane.BULK)
    assert states(database, submitted.job_id) == {UnitState.FAILED: 1}
    assert ask(database, jobs.state_of, submitted.job_id) is JobState.FAILED
