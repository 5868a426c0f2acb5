"""Finding an existing job for the same request, while it is planned or after its planner died."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from c4core.lines import Request
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from db import jobs
from db.checking import check
from db.database import Database
from db.errors import JobNotFoundError, JobStateError
from db.jobs.state import PLANNER_ALIVE_SECONDS
from db.records.jobs import JobState
from tests.support.jobs import state_of
from tests.support.running.databases import FakeClock, ask, do
from tests.support.running.waiting import HANG_SECONDS
from workers.analyze.job import find_job, submit
from workers.core.submit import restart_job


@dataclass
class Pause:
    """Stops the planner before its last line, until the test lets it go on."""

    reached: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def lines(self, number: int) -> Iterator[Request]:
        for line in range(1, number + 1):
            if line == number:
                self.reached.set()
                assert self.over.wait(HANG_SECONDS)
            yield Request(line, Position("44"))

    def await_job(self, database: Database) -> int:
        """The number of the newest job, once its planner has stopped and writes nothing."""
        assert self.reached.wait(HANG_SECONDS)
        return max(job.id for job in ask(database, jobs.list_jobs))


def plan(database: Database, pause: Pause) -> int:
    lines = pause.lines(4)
    return submit(database, lines, board=DEFAULT_BOARD, topic="same", unit_lines=1).job_id


def find(database: Database) -> int | None:
    return find_job(database, board=DEFAULT_BOARD, topic="same")


def problems(database: Database) -> list[str]:
    return [problem.message for problem in check(database)]


@pytest.fixture(autouse=True)
def short_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.core.submit.UNITS_PER_TRANSACTION", 1)


def test_submit_waits_for_a_job_in_planning(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    pause, waits = Pause(), threading.Semaphore(0)
    fake = SimpleNamespace(sleep=lambda _: waits.release())
    monkeypatch.setattr("workers.core.submit.time", fake)
    with ThreadPoolExecutor(2) as pool:
        planning = pool.submit(plan, database, pause)
        job_id = pause.await_job(database)
        finding = pool.submit(find, database)
        for _ in range(3):
            assert waits.acquire(timeout=HANG_SECONDS)
        assert not finding.done()
        assert state_of(database, job_id) is JobState.PLANNING
        assert problems(database) == []
        pause.over.set()
        assert (
            planning.result(timeout=HANG_SECONDS) == finding.result(timeout=HANG_SECONDS) == job_id
        )
    assert state_of(database, job_id) is JobState.RUNNING


def test_a_job_whose_planner_has_died_is_replaced(timed: Database, clock: FakeClock) -> None:
    pause = Pause()
    with ThreadPoolExecutor(1) as pool:
        planning = pool.submit(plan, timed, pause)
        job_id = pause.await_job(timed)
        clock.time += PLANNER_ALIVE_SECONDS + 1
        assert problems(timed) == [
            f"job {job_id} was abandoned while it was being planned: the next job deletes it"
        ]
        with pytest.raises(JobStateError, match=f"job {job_id} was deleted: its process ended"):
            restart_job(timed, job_id)
        assert find(timed) is None
        assert problems(timed) == []
        pause.over.set()
        # If the planner was only slow, it gets an error.
        with pytest.raises(JobNotFoundError):
            planning.result(timeout=HANG_SECONDS)


def test_a_new_job_replaces_abandoned_ones(timed: Database, clock: FakeClock) -> None:
    new = {"kind": "analyze", "board": DEFAULT_BOARD, "params": {}, "engine_version": 1}
    do(timed, jobs.create_job, **new)
    clock.time += PLANNER_ALIVE_SECONDS + 1
    pause = Pause()
    pause.over.set()
    job_id = plan(timed, pause)
    assert [job.id for job in ask(timed, jobs.list_jobs)] == [job_id]


def test_an_older_job_is_preferred_to_one_in_planning(database: Database) -> None:
    pause = Pause()
    pause.over.set()
    older = plan(database, pause)
    pause = Pause()
    with ThreadPoolExecutor(1) as pool:
        planning = pool.submit(plan, database, pause)
        assert pause.await_job(database) != older
        assert find(database) == older
        pause.over.set()
        assert find(database) in {older, planning.result(timeout=HANG_SECONDS)}
