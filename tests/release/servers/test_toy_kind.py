"""A ``c4 worker`` works on an external kind of job that it knows by one line."""

from collections.abc import Iterator

import pytest

from db import jobs
from db.database import Database
from db.records.jobs import MAX_ATTEMPTS, JobState, UnitState
from tests.support import toy_kind
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from workers.celery.broker import Broker
from workers.core.follow import JobFollower, read_job
from workers.core.kinds import KINDS, Lane

pytestmark = pytest.mark.servers

WORKER = (
    "from tests.support import toy_kind; toy_kind.install(); from cli.__main__ import main; main()"
)
"""A ``c4`` in a process that knows the kind."""
DEADLY = 49
"""A unit with this number kills its worker, like the kernel when memory is short."""
DEADLY_WORKER = f"""
import os, signal
from dataclasses import replace
from cli.__main__ import main
from tests.support import toy_kind
from workers.core.worker import Worker

def solve_unit(claim, *arguments):
    if {DEADLY} in claim.payload["numbers"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return toy_kind.solve_unit(claim, *arguments)

toy_kind.ROOTS = replace(toy_kind.ROOTS, solve_unit=solve_unit)
toy_kind.install()
Worker.__init__.__kwdefaults__["lease_seconds"] = 1.0
main()
"""


@pytest.fixture
def database(one_service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    monkeypatch.setitem(KINDS, toy_kind.KIND, toy_kind.ADDRESS)
    with Database.open(one_service.database_url) as opened:
        yield opened


def test_a_separate_worker_works_on_it(one_service: Service, database: Database) -> None:
    broker = Broker(one_service.broker_url)
    options = ("-v", "worker", "--table-mb=8", "--name=ada")
    with one_service.process("-c", WORKER, *options) as process:
        await_that(lambda: "ada" in one_service.workers(), process)
        job_id = toy_kind.plan(database, toy_kind.UNITS)
        assert broker.wake(Lane.BULK) is None
        assert list(JobFollower(database, job_id).results()) == toy_kind.RESULTS
        failing = toy_kind.plan(database, [[4], [-1]])
        await_that(lambda: read_job(database, failing).state is JobState.FAILED, process)
        assert process.log.count(f"(1 of job {failing}) failed") == MAX_ATTEMPTS
    broker.close()


def test_a_unit_that_kills_its_workers_fails_alone(
    one_service: Service, database: Database
) -> None:
    job_id = toy_kind.plan(database, [[DEADLY], *([number**2] for number in range(6))])
    options = ("worker", "--table-mb=8", "--threads=1")
    deaths = 0
    while read_job(database, job_id).state is JobState.RUNNING:
        with one_service.process("-c", DEADLY_WORKER, *options) as worker:
            died = lambda worker=worker: worker.process.poll() is not None  # noqa: E731
            await_that(
                lambda died=died: died() or read_job(database, job_id).state is not JobState.RUNNING
            )
            deaths += died()
    with database.read() as session:
        units = jobs.unit_results(session, job_id, limit=9)
    assert deaths <= 10
    assert units[0].state is UnitState.FAILED
    assert units[0].error == "its worker was lost 10 times"
    assert {unit.state for unit in units[1:]} == {UnitState.DONE}
