"""A ``c4 worker`` works on an external kind of job that it knows by one line."""

from collections.abc import Iterator
from contextlib import AbstractContextManager

import pytest

from db.database import Database
from db.records.jobs import MAX_ATTEMPTS, JobState
from tests.support import toy_kind
from tests.support.running.command_line import C4
from tests.support.running.service import Process, Service
from tests.support.running.waiting import await_that
from tests.support.toy_kind import RESULTS, UNITS
from workers.celery.doorbell import Doorbell
from workers.core.follow import read_job
from workers.core.kinds import KINDS
from workers.runners.remote import RemoteRunner

pytestmark = pytest.mark.servers

WORKER = "from tests.support import toy_kind; toy_kind.install(); from cli.main import main; main()"
"""A ``c4`` in a process that knows the kind."""


@pytest.fixture(autouse=True)
def _kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KINDS, toy_kind.KIND, toy_kind.ADDRESS)


@pytest.fixture
def database(one_service: Service) -> Iterator[Database]:
    with Database.open(one_service.database_url) as opened:
        yield opened


def worker(service: Service) -> AbstractContextManager[Process]:
    """A ``c4 worker`` that has the line in its table."""
    return service.process("-c", WORKER, "-v", "worker", "--table-mb=8", "--name=ada")


def test_a_separate_worker_works_on_it(one_service: Service, database: Database, c4: C4) -> None:
    doorbell = Doorbell(one_service.broker_url)
    with worker(one_service) as process:
        await_that(lambda: "ada" in one_service.workers(), process)
        job_id = toy_kind.plan(database, UNITS)
        with RemoteRunner(database, job_id, doorbell) as runner:
            assert list(runner.results()) == RESULTS
        shown = c4("--db", one_service.database_url, "jobs", "results", str(job_id))
        assert shown.objects == RESULTS
        failing = toy_kind.plan(database, [[4], [-1]])
        await_that(lambda: read_job(database, failing).state is JobState.FAILED, process)
        assert process.log.count(f"(1 of job {failing}) failed") == MAX_ATTEMPTS
    doorbell.close()
