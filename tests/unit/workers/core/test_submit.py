"""A job is created in several transactions, and found again by the same question."""

from collections.abc import Iterator

import pytest

from c4core.lines import Request
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from db.database import Database
from db.errors import JobNotFoundError
from db.jobs import control, watching
from db.records.jobs import JobState
from tests.support.jobs import state_of
from tests.support.running.databases import ask, do
from workers.analyze.job import find_job, submit


@pytest.fixture(autouse=True)
def short_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.core.submit.UNITS_PER_TRANSACTION", 1)


def test_a_job_is_found_when_it_is_planned(database: Database) -> None:
    seen = []

    def lines() -> Iterator[Request]:
        for line in range(1, 5):
            seen.append(find_job(database, board=DEFAULT_BOARD, topic="same"))
            yield Request(line, Position("44"))

    job_id = submit(database, lines(), board=DEFAULT_BOARD, topic="same", unit_lines=1).job_id
    assert seen == [None] * 4
    do(database, control.cancel_job, job_id)
    assert find_job(database, board=DEFAULT_BOARD, topic="same") == job_id
    assert state_of(database, job_id) is JobState.RUNNING
    assert find_job(database, board=DEFAULT_BOARD, topic="other") is None


def test_the_planner_of_a_deleted_job_gets_an_error(database: Database) -> None:
    def lines() -> Iterator[Request]:
        for line in range(1, 5):
            if line == 4:
                (job,) = ask(database, watching.list_jobs)
                assert job.state is JobState.PLANNING
                do(database, control.delete_job, job.id)
            yield Request(line, Position("44"))

    with pytest.raises(JobNotFoundError):
        submit(database, lines(), board=DEFAULT_BOARD, unit_lines=1)
    assert ask(database, watching.list_jobs) == []
