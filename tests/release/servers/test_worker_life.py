"""Worker processes: a frozen one, the first one of a container, and Flower."""

import json
import os
import re
import signal
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from db.records.jobs import UnitState
from tests.release.servers.test_broker import give_endless_work
from tests.support.running.databases import PostgresDatabases
from tests.support.running.servers import RedisServer
from tests.support.running.service import Service
from tests.support.running.waiting import HANG_SECONDS, await_that

pytestmark = pytest.mark.servers


def test_a_frozen_worker_is_shown_as_such(one_service: Service) -> None:
    with one_service.worker("--threads=1") as worker:
        job_id = give_endless_work(one_service)
        await_that(lambda: one_service.job(job_id).silent_seconds is not None, worker)
        worker.process.send_signal(signal.SIGSTOP)
        # It leaves the registry.
        await_that(lambda: not one_service.workers())
        shown = json.loads(one_service("status", "--json").out)
        assert (shown["live_workers"], shown["workers"]) == ([], 0)
        assert shown["positions_per_second"] is None
        assert "running, last sign of life " in one_service("jobs", "show", str(job_id)).out
        worker.process.send_signal(signal.SIGCONT)
        await_that(lambda: "ada" in one_service.workers(), worker)
        await_that(lambda: one_service.job(job_id).units[UnitState.LEASED] == 1, worker)
        assert worker.stop() == 0


FIRST = 'import subprocess, sys; sys.exit(subprocess.call(["unshare", *sys.argv[1:]]))'


def only_child(pid: int) -> int:
    (child,) = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return child


@pytest.mark.parametrize("signals", [1, 2])
@pytest.mark.parametrize("broker_goes", ["never", "before"])
def test_the_first_process_of_a_container_stops_on_request(
    postgres_server: PostgresDatabases, tmp_path: Path, signals: int, broker_goes: str
) -> None:
    with postgres_server.database(initialised=True) as url, RedisServer() as broker:
        service = Service(tmp_path, url, broker.url)
        worker = ("-m", "cli", "-v", "worker", "--table-mb=8", "--threads=1", "--name=ada")
        options = ("--pid", "--fork", "--kill-child", sys.executable)
        with service.process("-c", FIRST, *options, *worker) as process:
            await_that(lambda: "ada" in service.workers(), process)
            job_id = give_endless_work(service)
            if broker_goes == "before":
                broker.stop()
            first = only_child(only_child(process.process.pid))  # its process id outside
            for _ in range(signals):
                with suppress(ProcessLookupError):  # it has ended
                    os.kill(first, signal.SIGTERM)
            code = process.process.wait(HANG_SECONDS)
            assert code == 0 or (signals == 2 and code in {143, 255})
            if signals == 1:
                assert service.job(job_id).units[UnitState.QUEUED] == 1
                assert service.workers() == set()


def test_flower_shows_the_workers(one_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOWER_UNAUTHENTICATED_API", "true")
    program = ("-m", "celery", "-A", "workers.app", "flower", "--address=127.0.0.1", "--port=0")
    with one_service.worker(name="ada"), one_service.process(*program) as process:
        await_that(lambda: "Visit me at" in process.log, process)
        (url,) = re.findall(r"Visit me at (http://\S+)", process.log)

        def shown() -> bool:
            with urllib.request.urlopen(f"{url}/api/workers?refresh=1") as answer:
                return "c4@ada" in json.load(answer)

        await_that(shown, process)
