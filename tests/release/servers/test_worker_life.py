"""The life of worker processes: equal names, frozen ones, the first process of a container."""

import json
import os
import signal
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path

import pytest

from db.records.jobs import JobState, UnitState
from tests.release.servers.test_broker import GAMES, give_endless_work, write
from tests.release.servers.test_web_jobs import check_results, face_of
from tests.support.running.databases import PostgresDatabases
from tests.support.running.server_process import free_port
from tests.support.running.servers import RedisServer
from tests.support.running.service import Process, Service
from tests.support.running.waiting import HANG_SECONDS, await_that
from tests.support.running.web_server import WebServer

pytestmark = pytest.mark.servers


def test_two_workers_with_the_same_name_work_and_warn(one_service: Service, tmp_path: Path) -> None:
    path = write(tmp_path, GAMES)
    with one_service.worker("--threads=1") as one, one_service.worker("--threads=1") as other:
        await_that(lambda: "has the name of this worker, ada" in one.log + other.log)
        assert one_service.workers() == {"ada"}
        done = one_service("analyze", path, "--output", "out")
        assert done.code == 0, done.err
        assert one.stop() == 0
        await_that(lambda: one_service.workers() == {"ada"})  # the other one registers itself again


def test_a_frozen_worker_is_shown_as_such(one_service: Service) -> None:
    port = free_port()
    with one_service.worker("--threads=1", f"--metrics-port={port}") as worker:
        job_id = give_endless_work(one_service)
        worker.process.send_signal(signal.SIGSTOP)
        # No process extends its lease; and it leaves the registry later.
        await_that(lambda: one_service.job(job_id).state is JobState.RUNNING)
        await_that(lambda: not one_service.workers())
        shown = json.loads(one_service("status", "--json").out)
        assert shown["live_workers"] == []
        assert shown["jobs"]["interrupted"] == 1
        assert shown["positions_per_second"] is None
        with pytest.raises(TimeoutError):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=1)
        worker.process.send_signal(signal.SIGCONT)
        await_that(lambda: "ada" in one_service.workers(), worker)
        await_that(lambda: one_service.job(job_id).units[UnitState.LEASED] == 1, worker)
        assert worker.stop() == 0


FIRST = 'import subprocess, sys; sys.exit(subprocess.call(["unshare", *sys.argv[1:]]))'


def inner(process: Process) -> int:
    """The process id, outside, of the first process in a container."""

    def children(pid: int) -> list[int]:
        return list(map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()))

    (unshare,) = children(process.process.pid)
    (first,) = children(unshare)
    return first


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
            first = inner(process)
            for _ in range(signals):
                os.kill(first, signal.SIGTERM)
            code = process.process.wait(HANG_SECONDS)
            assert code == 0 or (signals == 2 and code in {143, 255})
            if signals == 1:
                assert service.job(job_id).units[UnitState.QUEUED] == 1
                assert service.workers() == set()


def test_twenty_simultaneous_posts_make_one_job(one_service: Service) -> None:
    wish = {"kind": "analyze", "positions": GAMES[:200]}

    def post(server: WebServer) -> int:
        while (made := server.post("/api/v1/jobs", wish)).status == HTTPStatus.TOO_MANY_REQUESTS:
            time.sleep(0.1)
        assert made.status == HTTPStatus.CREATED, made.body
        number: int = made.json["id"]
        return number

    with face_of(one_service) as server, one_service.worker("--threads=1"):
        with ThreadPoolExecutor(20) as clients:
            numbers = set(clients.map(post, [server] * 20))
        for number in numbers:
            await_that(lambda number=number: one_service.job(number).state is JobState.DONE)
            check_results(server, number, GAMES[:200])
