"""Damaged values fail the units that need them; all other units are done, and the job ends."""

from collections.abc import Iterator

import pytest
from sqlalchemy import text

from c4core.notation import DEFAULT_BOARD
from db import jobs
from db.database import Database
from db.errors import DamagedValueError
from db.records.jobs import MAX_ATTEMPTS, JobInfo, JobState, UnitState
from db.registry import beat
from tests.support.boards.games import random_games
from tests.support.boards.matches import RANDOM, terms
from tests.support.jobs import state_of, unit_ids
from tests.support.running.databases import do, on_sqlite, worker
from tests.support.units import job_of_games, states, unit_worker
from workers.celery.unit_worker import UnitWorker
from workers.core.kinds import Lane
from workers.match.job import plan_matches
from workers.match.terms import TAKES_PROGRAMS
from workers.runners.local import LocalRunner

pytestmark = on_sqlite

GAMES = random_games(4, empty=8)
BOARD = DEFAULT_BOARD


@pytest.fixture
def site(database: Database) -> Iterator[UnitWorker]:
    with unit_worker(database) as site:
        yield site


def make(database: Database) -> int:
    """Make a job with one unit for each game."""
    return job_of_games(database, GAMES, unit_lines=1)


def damage(database: Database, statement: str, **values: object) -> None:
    with database.write() as session:
        assert session.connection().execute(text(statement), values).rowcount == 1


def work(database: Database, job_id: int) -> JobInfo:
    """Work on a job in this process until it has ended; return its final state."""
    with LocalRunner(database, job_id, threads=3, table_mb=1) as runner:
        return runner.wait()


def test_parameters_may_be_damaged_while_the_job_runs(database: Database) -> None:
    job_id = make(database)
    runner = LocalRunner(database, job_id, table_mb=1)
    damage(database, "UPDATE jobs SET params = replace(params, 'false', 'fault')")
    with runner, pytest.raises(DamagedValueError):  # raised at the end, when the work is done
        runner.wait()
    assert database.run(lambda session: jobs.finish_if_complete(session, job_id)) is JobState.FAILED


def test_damaged_parameters_and_a_worker(database: Database, site: UnitWorker) -> None:
    job_id = make(database)
    damage(database, "UPDATE jobs SET params = replace(params, 'false', 'fault')")
    assert all(site.work_on(unit_id, Lane.BULK) for unit_id in unit_ids(database, job_id))
    assert database.run(lambda session: jobs.finish_if_complete(session, job_id)) is JobState.FAILED


def test_damaged_terms_of_a_match(database: Database) -> None:
    submitted = plan_matches(database, [terms(games=4), terms(games=4, player_a=RANDOM)])
    damage_terms(database, submitted.match_ids[0])
    job = work(database, submitted.job_id)
    assert (job.state, states(database, job.id)) == (
        JobState.FAILED,
        {UnitState.DONE: 1, UnitState.FAILED: 1},
    )
    assert job.errors[0].startswith("DamagedValueError: a stored JSON object is damaged")


def test_damaged_terms_of_a_match_with_a_claimed_unit(database: Database, site: UnitWorker) -> None:
    """The unit is not left to other workers, because it is unknown whether it needs a program."""
    submitted = plan_matches(database, [terms(games=4)])
    do(database, beat, worker("bob", queues=(Lane.BULK.queue, TAKES_PROGRAMS)))
    damage_terms(database, submitted.match_ids[0])
    (unit_id,) = unit_ids(database, submitted.job_id)
    for _ in range(MAX_ATTEMPTS):
        assert site.work_on(unit_id, Lane.BULK)
    assert state_of(database, submitted.job_id) is JobState.FAILED
    assert states(database, submitted.job_id) == {UnitState.FAILED: 1}


def damage_terms(database: Database, match_id: int) -> None:
    statement = "UPDATE matches SET terms = replace(terms, 'form', 'farm') WHERE id = :id"
    damage(database, statement, id=match_id)
