"""A broker that is away, full, forgetful or wrong: jobs begin within seconds and lose nothing."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from c4core.version import ENGINE_VERSION, __version__
from db.database import Database
from db.records.jobs import JobState, UnitState
from db.urls import masked
from tests.release.faults.figures import SLACK
from tests.release.servers.test_broker import give_endless_work
from tests.support.boards.games import random_games
from tests.support.kills import plan_analysis
from tests.support.running.databases import PostgresDatabases
from tests.support.running.server_process import Server
from tests.support.running.servers import RabbitMQServer, RedisServer
from tests.support.running.service import Process, Service
from tests.support.running.waiting import await_that
from tests.support.running.watching import holds_unit
from workers.celery.broker import Broker
from workers.celery.host import END_SECONDS
from workers.core.kinds import Lane

pytestmark = pytest.mark.servers

GAMES = random_games(60, empty=20)
WITHOUT_MESSAGES = 3.0
"""Seconds until a worker takes units of which no message tells: two looks at the database."""


@contextmanager
def full_redis(server: RedisServer) -> Iterator[None]:
    with server.client() as client:
        client.rpush("others", *["x" * 1000] * 2_000)
        client.config_set("maxmemory", "1mb")  # memory freed by ending connections does not help
        yield
        client.config_set("maxmemory", "0")
        client.delete("others")


@contextmanager
def short_rabbitmq(server: RabbitMQServer) -> Iterator[None]:
    server.control("set_vm_memory_high_watermark", "0.0000001")
    yield
    server.control("set_vm_memory_high_watermark", "0.4")


BROKERS = [
    pytest.param(RedisServer, full_redis, "'maxmemory'", id="redis"),
    pytest.param(RabbitMQServer, short_rabbitmq, "", id="rabbitmq"),
]


@pytest.mark.parametrize(("kind", "trouble", "told"), BROKERS)
def test_a_broker_without_memory(
    tmp_path: Path,
    postgres_server: PostgresDatabases,
    kind: type[Server],
    trouble: Callable[[Server], Iterator[None]],
    told: str,
) -> None:
    with kind() as server, postgres_server.database(initialised=True) as url:
        service = Service(tmp_path, url, server.url)
        with service.worker("--threads=1") as worker:
            run(service, worker)
            with trouble(server):
                assert told in run(service, worker)
            assert "Warning" not in run(service, worker)
        assert "Traceback" not in worker.log


def test_a_worker_with_the_wrong_broker_works_and_is_seen(one_service: Service) -> None:
    wrong = Service(
        one_service.directory,
        one_service.database_url,
        one_service.broker_url.removesuffix("/0") + "/1",
    )
    with wrong.worker("--threads=1") as worker:
        job_id = begins_without_messages(one_service, worker)
        await_that(lambda: one_service.job(job_id).state is JobState.DONE, worker)
        run(one_service, worker)
        (seen,) = json.loads(one_service("status", "--json").out)["live_workers"]
        assert seen["name"] == "ada"


def test_a_message_may_wait_longer_than_rabbitmq_allows(
    tmp_path: Path, postgres_server: PostgresDatabases
) -> None:
    """A busy worker holds a message that it has not begun; the server then closes the channel."""
    with (
        RabbitMQServer("{consumer_timeout, 10000}", "{channel_tick_interval, 2000}") as server,
        postgres_server.database(initialised=True) as url,
    ):
        service = Service(tmp_path, url, server.url)
        with service.worker("--threads=1") as worker:
            job_id = give_endless_work(service)
            for _ in range(5):
                Broker(server.url).wake(Lane.BULK)
            await_that(lambda: "delivery acknowledgement on channel" in server.logs(), worker)
            assert service.job(job_id).units[UnitState.LEASED] == 1
            assert service("jobs", "cancel", str(job_id)).code == 0
            run(service, worker)
            assert worker.stop() == 0


def test_workers_of_another_engine_take_nothing(one_service: Service) -> None:
    other = (
        "import c4core.version as v; v.ENGINE_VERSION += 1; from cli.__main__ import main; main()"
    )
    command = ("-c", other, "worker", "--table-mb=1", "--name=newer")
    with one_service.process(*command) as worker:
        await_that(lambda: "newer" in one_service.workers(), worker)
        with one_service.process("-m", "cli", "analyze", "--sample") as asking:
            await_that(lambda: "No worker takes such jobs yet" in asking.log, asking)
        shown = one_service("status")
        assert f"/{ENGINE_VERSION + 1} " in shown.out
        assert "No process is working on the running jobs" in shown.err
        assert f"but workers run {__version__} (engine {ENGINE_VERSION + 1}): newer" in shown.err
        assert one_service("status", "--check").code == 1


def test_status_asks_the_broker(one_service: Service) -> None:
    with one_service.worker("--threads=1") as worker, RedisServer() as other:
        # A worker is registered before it answers at the broker.
        await_that(lambda: one_service("status", "--check").code == 0, worker)
        right = one_service("status", "--check")
        assert right.err == ""
        assert f"{masked(one_service.broker_url)}, 1 worker there" in right.out
        wrong = replace(one_service, broker_url=other.url)("status", "--check", "--json")
        assert wrong.code == 1
        assert json.loads(wrong.out)["problems"] == [
            "workers do not answer at this broker, or use another one: ada"
        ]
        away = replace(one_service, broker_url="redis://127.0.0.1:1")("status", "--check")
        assert away.code == 1
        assert "Problem: cannot reach the broker redis://127.0.0.1:1: " in away.err


def run(service: Service, worker: Process) -> str:
    """Run a job of several units to its end; return the words of the command that made it."""
    path = service.directory / "games"
    path.write_text("\n".join(GAMES))
    done = service("analyze", "--score-only", "--detach", str(path))
    assert done.code == 0, done.err
    await_that(lambda: service.job(int(done.out)).state is JobState.DONE, worker)
    return done.err


def begins_without_messages(service: Service, worker: Process) -> int:
    """Make a job without a message; check when an idle worker takes its first unit."""
    with Database.open(service.database_url) as database:
        job_id = plan_analysis(service.database_url, GAMES)
        began = time.monotonic()
        await_that(
            lambda: holds_unit(database, "ada") or service.job(job_id).units[UnitState.DONE],
            worker,
        )
    assert time.monotonic() - began < WITHOUT_MESSAGES * SLACK
    await_that(lambda: service.job(job_id).state is JobState.DONE, worker)
    return job_id


@pytest.mark.parametrize("kind", [RedisServer, RabbitMQServer], ids=["redis", "rabbitmq"])
def test_a_worker_ends_beside_a_frozen_broker(
    tmp_path: Path, postgres_server: PostgresDatabases, kind: type[Server]
) -> None:
    with kind() as server, postgres_server.database(initialised=True) as url:
        service = Service(tmp_path, url, server.url)
        with service.worker("--threads=1") as worker:
            job_id = give_endless_work(service)
            server.pause()
            began = time.monotonic()
            assert worker.stop() == 0
            assert time.monotonic() - began < (END_SECONDS + 1) * SLACK
            server.resume()
        assert service.job(job_id).units[UnitState.QUEUED] == 1
