"""Untrusted programs over a broker: workers start none without consent."""

from pathlib import Path

import pytest
from kombu import Connection

from db import games
from db.database import Database
from db.records.games import ON_THE_BOARD, GameFilter
from db.records.jobs import JobState
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from tests.support.traps import Trap
from workers.celery.broker import TASK, make_app
from workers.core.kinds import Lane

pytestmark = pytest.mark.servers


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    monkeypatch.chdir(tmp_path)  # where modules are found
    return Trap(tmp_path)


def forfeits(one_service: Service) -> list[str]:
    with Database.open(one_service.database_url) as database, database.read() as session:
        found = games.stream_games(session, GameFilter())
        return [game.detail for game in found if game.ending not in ON_THE_BOARD]


def test_a_worker_starts_no_program_without_consent(one_service: Service, trap: Trap) -> None:
    asked = ("match", trap.player("exec"), "random", "--games", "4", "--judge", "none")
    with one_service.worker("--threads=2"):
        done = one_service(*asked)
        assert done.code == 1
        assert "no worker may start it yet" in done.err
        assert "start c4 worker with it, then c4 jobs resume 1" in done.err
        assert one_service.job(1).state is JobState.FAILED
    assert not trap.has_run
    with one_service.worker("--threads=2", "--allow-programs", name="bob"):
        done = one_service("jobs", "resume", "1")
        assert done.code == 0, done.err
        assert "no worker" not in done.err
    assert trap.has_run
    assert [name for name in trap.environment() if name.startswith("C4_")] == []
    assert forfeits(one_service) == []


def test_workers_leave_programs_to_those_that_may_start_them(
    one_service: Service, trap: Trap
) -> None:
    asked = ("match", trap.player("exec"), "random", "--games", "40", "--judge", "none")
    with (
        one_service.worker("--threads=2") as careful,
        one_service.worker("--threads=1", "--allow-programs", name="bob"),
    ):
        done = one_service(*asked)
        assert done.code == 0, done.err
        assert "40 games" in done.err
        assert "failed" not in careful.log
    assert trap.has_run
    assert forfeits(one_service) == []


@pytest.mark.parametrize("setting", ["", "1"])
def test_celery_workers_read_consent_from_the_environment(
    one_service: Service, trap: Trap, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.setenv("C4_ALLOW_PROGRAMS", setting)
    asked = ("match", trap.player("exec"), "random", "--games", "2", "--judge", "none")
    with one_service.celery_worker("--pool=threads", "--concurrency=1"):
        assert one_service(*asked).code == (0 if setting else 1)
    assert trap.has_run is bool(setting)


def test_a_pickled_message_is_dropped(service: Service, trap: Trap) -> None:
    with service.worker("--threads=1") as worker:
        for content_type in ("application/x-python-serialize", "application/x-yaml"):
            send(service.broker_url, trap.bombs()["pickle"], content_type)
        await_that(lambda: "refused" in worker.log or "Refusing" in worker.log, worker)
        done = service("analyze", "-", stdin="444444\n33333322222244\n")
        assert done.code == 0, done.err
    assert not trap.has_run


def send(broker_url: str, body: bytes, content_type: str) -> None:
    """Send a Celery message for the worker's task with a raw body."""
    headers = {"task": TASK, "id": "1", "lang": "py", "root_id": "1"}
    # A worker is registered before it has its queues, and RabbitMQ drops messages without a queue.
    queue = make_app(broker_url).amqp.queues[Lane.BULK.queue]
    with Connection(broker_url) as connection, connection.Producer() as producer:
        producer.publish(
            body,
            declare=[queue],
            routing_key=queue.name,
            content_type=content_type,
            content_encoding="binary",
            headers=headers,
        )
