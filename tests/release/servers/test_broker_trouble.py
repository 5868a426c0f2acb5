"""A broker without memory for messages: jobs continue, and the problem is reported everywhere."""

import json
import re
import signal
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from db.records.jobs import JobState
from tests.support.boards.games import random_games
from tests.support.running.databases import PostgresDatabases
from tests.support.running.server_process import Server
from tests.support.running.servers import RabbitMQServer, RedisServer
from tests.support.running.service import Process, Service
from tests.support.running.waiting import await_that
from workers.core.kinds import Lane

pytestmark = pytest.mark.servers

FIRST, SECOND = random_games(60, empty=20), random_games(60, empty=20, seed=2)


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
    pytest.param(RedisServer, full_redis, "maxmemory-policy", id="redis"),
    pytest.param(RabbitMQServer, short_rabbitmq, "rabbitmqctl status", id="rabbitmq"),
]


@pytest.mark.parametrize(("kind", "trouble", "hint"), BROKERS)
def test_a_broker_that_refuses_messages(
    tmp_path: Path,
    postgres_server: PostgresDatabases,
    kind: type[Server],
    trouble: Callable[[Server], Iterator[None]],
    hint: str,
) -> None:
    with kind() as server, postgres_server.database(initialised=True) as url:
        service = Service(tmp_path, url, server.url)
        with service.worker("--threads=1", "--metrics-port=127.0.0.1:0") as worker:
            (found,) = re.findall(r"metrics at (\S+)", worker.log)
            run(service, FIRST, worker)
            with trouble(server):
                # The worker may find the job before the command tries to send a message.
                worker.process.send_signal(signal.SIGSTOP)
                job_id = make(service, SECOND, hint)
                worker.process.send_signal(signal.SIGCONT)
                await_that(lambda: service.job(job_id).state is JobState.DONE, worker)
                # It is shown as long as it lasts, in every view.
                await_that(lambda: hint in service("status").out, worker)
                (shown,) = json.loads(service("status", "--json").out)["live_workers"]
                assert hint in shown["note"]
                await_that(lambda: metric(found, "c4_broker_up") == 0, worker)
                await_that(lambda: metric(found, "c4_leases") == 0, worker)
            again = make(service, SECOND[:10])
            await_that(lambda: service.job(again).state is JobState.DONE, worker)
            await_that(lambda: "messages get through again" in worker.log, worker)
            await_that(lambda: metric(found, "c4_broker_up") == 1, worker)
        told = [line for line in worker.log.splitlines() if hint in line and "DEBUG" not in line]
        assert 1 <= len(told) <= 4
        assert "Traceback" not in worker.log


def test_a_redis_that_forgets_messages(tmp_path: Path, postgres_server: PostgresDatabases) -> None:
    with (
        RedisServer() as server,
        postgres_server.database(initialised=True) as url,
        server.client() as client,
    ):
        client.config_set("maxmemory", "2mb")
        client.config_set("maxmemory-policy", "allkeys-lru")
        service = Service(tmp_path, url, server.url)
        with service.worker("--threads=1") as worker:
            for number in range(5_000):
                client.set(f"other {number}", "x" * 1000)
            job_id = make(service, SECOND)
            client.delete(Lane.BULK.queue)  # as if this key had been evicted
            await_that(lambda: service.job(job_id).state is JobState.DONE, worker)
        assert client.info("stats")["evicted_keys"] > 0
        assert "takes no messages" not in worker.log


def test_garbage_among_taken_messages(one_service: Service) -> None:
    with redis.Redis.from_url(one_service.broker_url) as client, one_service.worker() as worker:
        client.hset("c4.unacked", "x", "garbage")
        client.zadd("c4.unacked_index", {"x": 0})
        await_that(lambda: not client.exists("c4.unacked_index"), worker)
        assert not client.hexists("c4.unacked", "x")
        client.set("c4.unacked_index", "no list")
        await_that(lambda: not client.exists("c4.unacked_index"), worker)
        run(one_service, FIRST[:10], worker)
        assert worker.log.count("an invalid message was dropped") == 2
        assert "Traceback" not in worker.log


def make(service: Service, games: list[str], hint: str = "") -> int:
    """Make a job of several units; return its number."""
    path = service.directory / "games"
    path.write_text("\n".join(games))
    done = service("analyze", "--score-only", "--detach", str(path))
    assert done.code == 0, done.err
    assert hint in done.err
    return int(done.out)


def run(service: Service, games: list[str], worker: Process) -> None:
    job_id = make(service, games)
    await_that(lambda: service.job(job_id).state is JobState.DONE, worker)


def metric(url: str, name: str) -> float:
    with urllib.request.urlopen(url) as answer:
        (found,) = re.findall(rf"^{name} (\S+)", answer.read().decode(), re.MULTILINE)
    return float(found)
