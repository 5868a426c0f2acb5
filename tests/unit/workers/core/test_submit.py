"""Finding an existing job for the same request, while it is planned or after its planner died."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from c4core.lines import Request
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from db import jobs
from db.database import Database
from db.errors import JobStateError
from db.integrity.check import check
from db.jobs.sharing import PLANNER_ALIVE_SECONDS
from db.records.jobs import JobState
from tests.support.jobs import state_of
from tests.support.running.databases import FakeClock, ask
from tests.support.running.waiting import HANG_SECONDS, await_that
from workers.analyze.job import find_job, submit


def requests(number: int, pause: threading.Event) -> Iterator[Request]:
    """Lines; the last one is delayed."""
    for line in range(1, number + 1):
        if line == number:
            assert pause.wait(HANG_SECONDS)
        yield Request(line, Position("44"))


def plan(database: Database, pause: threading.Event) -> int:
    lines = requests(4, pause)
    return submit(database, lines, board=DEFAULT_BOARD, topic="same", unit_lines=1).job_id


def find(database: Database) -> int | None:
    return find_job(database, board=DEFAULT_BOARD, topic="same")


def problems(database: Database) -> list[str]:
    return [problem.message for problem in check(database)]


@pytest.fixture(autouse=True)
def short_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.core.submit.UNITS_PER_TRANSACTION", 1)


def await_job(database: Database) -> int:
    """The number of the job that is being planned, once it exists."""
    await_that(lambda: ask(database, jobs.list_jobs))
    return ask(database, jobs.list_jobs)[0].id


def test_submit_waits_for_a_job_in_planning(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause, waits = threading.Event(), threading.Semaphore(0)
    fake = SimpleNamespace(sleep=lambda _: waits.release())
    monkeypatch.setattr("workers.core.submit.time", fake)
    with ThreadPoolExecutor(2) as pool:
        planning = pool.submit(plan, database, pause)
        job_id = await_job(database)
        finding = pool.submit(find, database)
        for _ in range(3):
            assert waits.acquire(timeout=HANG_SECONDS)
        assert not finding.done()
        assert state_of(database, job_id) is JobState.PLANNING
        assert problems(database) == []
        pause.set()
        assert (
            planning.result(timeout=HANG_SECONDS) == finding.result(timeout=HANG_SECONDS) == job_id
        )
    assert state_of(database, job_id) is JobState.RUNNING


def test_a_job_whose_planner_has_died_is_replaced(timed: Database, clock: FakeClock) -> None:
    pause = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        planning = pool.submit(plan, timed, pause)
        job_id = await_job(timed)
        clock.time += PLANNER_ALIVE_SECONDS + 1
        assert problems(timed) == [
            f"job {job_id} was abandoned while it was being planned: c4 jobs cancel {job_id}"
        ]
        assert find(timed) is None
        assert state_of(timed, job_id) is JobState.CANCELLED
        assert problems(timed) == []
        pause.set()
        # If the planner was only slow, it gets an error.
        with pytest.raises(JobStateError, match="is cancelled"):
            planning.result(timeout=HANG_SECONDS)


def test_an_older_job_is_preferred_to_one_in_planning(database: Database) -> None:
    pause = threading.Event()
    pause.set()
    older = plan(database, pause)
    pause.clear()
    with ThreadPoolExecutor(1) as pool:
        planning = pool.submit(plan, database, pause)
        assert find(database) == older
        pause.set()
        assert find(database) in {older, planning.result(timeout=HANG_SECONDS)}
