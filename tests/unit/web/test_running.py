"""Jobs in the server's own threads, on real databases."""

from collections.abc import Iterator
from contextlib import suppress

import pytest

from c4core.position import Position
from db.database import Database
from db.errors import JobStateError
from db.jobs import control, watching
from db.records.jobs import JobState, UnitState
from tests.support.boards.games import random_games
from tests.support.jobs import state_of
from tests.support.running.waiting import await_that, ends
from tests.support.web_api import analyze
from web.running import BOARD, ORIGIN, JobRunner
from workers.deep.job import join_or_submit
from workers.deep.task import DeepTask

EASY = random_games(60, empty=8)
HARD = ["1", "2", "3", "11", "12", "13", "14"]


def make(
    database: Database, games: list[str], topic: str | None = ORIGIN, label: str | None = None
) -> int:
    return analyze(database, games, topic=topic, label=label, unit_lines=20)


@pytest.fixture
def running(database: Database) -> Iterator[JobRunner]:
    opened = JobRunner(database, threads=2, table_mb=1)
    yield opened
    opened.close()


def test_a_short_job_is_done_beside_long_ones(database: Database, running: JobRunner) -> None:
    running.start()
    long = [make(database, HARD) for _ in range(3)]
    short = make(database, EASY)
    for number in [*long, short]:
        running.call(number)
    assert running.running() == [*long, short]
    for number in long:
        database.run(lambda session, number=number: control.cancel_job(session, number))
    await_that(lambda: state_of(database, short) is JobState.DONE)
    await_that(lambda: short not in running.running())


def test_closing_releases_all_units(database: Database) -> None:
    running = JobRunner(database, threads=2, table_mb=1)
    running.start()
    number = make(database, HARD)
    running.call(number)

    def leased() -> int:
        with database.read() as session:
            return watching.get_job(session, number).units[UnitState.LEASED]

    await_that(leased)
    ends(running.close)  # the search would take hours
    assert leased() == 0
    assert state_of(database, number) is JobState.RUNNING
    running.call(number)  # no effect, but no error
    assert leased() == 0


def test_a_new_server_resumes_its_own_jobs(database: Database, running: JobRunner) -> None:
    """Labels are for people: others may use the server's."""
    task = DeepTask(Position(EASY[0]), EASY[0])
    ours = [make(database, EASY), make(database, EASY, f"{BOARD} 12")]
    ours.append(join_or_submit(database, task, origin=ORIGIN)[0])
    others = [make(database, EASY, None, label) for label in (None, "web", "web: x")]
    running.start()
    await_that(lambda: all(state_of(database, number) is JobState.DONE for number in ours))
    assert all(state_of(database, number) is JobState.RUNNING for number in others)


def test_a_cancelled_and_resumed_job_continues(database: Database, running: JobRunner) -> None:
    running.start()
    number = make(database, EASY)
    for _ in range(5):
        running.call(number)
        with suppress(JobStateError):  # the job may have ended
            database.run(lambda session: control.cancel_job(session, number))
        database.run(lambda session: control.resume_job(session, number))
        running.call(number)
    await_that(lambda: state_of(database, number) is JobState.DONE)
