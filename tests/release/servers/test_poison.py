"""Messages that name no unit are dropped with a log line each; the worker continues."""

import base64
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from kombu import Connection

from db.records.jobs import JobState
from tests.support.boards.games import random_games
from tests.support.poison import HARMLESS, POISON, body, headers
from tests.support.running.databases import PostgresDatabases
from tests.support.running.servers import RedisServer
from tests.support.running.service import Service
from tests.support.running.waiting import await_that
from workers.celery.doorbell import Doorbell
from workers.core.kinds import Lane

pytestmark = pytest.mark.servers

GAMES = random_games(40, empty=14)


def send(broker_url: str, messages: list[tuple[bytes, Any]], queue: str) -> None:
    with Connection(broker_url) as connection, connection.channel() as channel:
        producer = connection.Producer(channel)
        for sent, with_headers in messages:
            producer.publish(
                sent,
                routing_key=queue,
                content_type="application/json",
                content_encoding="utf-8",
                headers=with_headers,
            )


DROPPED = "a message was dropped"


def is_empty(service: Service) -> Callable[[], bool]:
    bell = Doorbell(service.broker_url)
    return lambda: not any(bell.depth(lane) for lane in Lane)


def test_messages_without_a_unit_are_dropped_and_others_processed(
    service: Service, tmp_path: Path
) -> None:
    (tmp_path / "games.txt").write_text("\n".join(GAMES))
    bell = Doorbell(service.broker_url)
    for lane in Lane:
        bell.depth(lane)  # creates the queue
        send(service.broker_url, POISON + HARMLESS, lane.queue)
    with service.worker("--threads=1") as worker:
        done = service("analyze", "games.txt", "--output", "out")
        assert done.code == 0, done.err + worker.log
        assert service.job(1).state is JobState.DONE
        await_that(is_empty(service), worker)
        await_that(lambda: worker.log.count(DROPPED) == 2 * len(POISON), worker)
        assert worker.stop() == 0
        log = worker.log
    # Nothing was queued again, and the log has no other lines.
    assert log.count(DROPPED) == 2 * len(POISON)
    assert not any(bad in log for bad in ("Traceback", "ERROR", "\x1b"))
    assert not any(line.startswith("forged") for line in log.splitlines())
    assert max(map(len, log.splitlines())) < 400


GARBAGE = [
    b"no JSON",
    b"\xff\x00",
    b"[]",
    b"7",
    b"null",
    b"{}",
    b'{"body": "W10=", "properties": []}',
    b'{"body": "W10=", "properties": {}}',
    b'{"body": "W10=", "properties": {"delivery_tag": {}, "body_encoding": "base64"}}',
    b'{"body": 7, "properties": {"delivery_tag": "a", "body_encoding": "base64"}}',
    b'{"body": "!", "properties": {"delivery_tag": "a", "body_encoding": "base64"}}',
    b'{"body": "", "properties": {"delivery_tag": "a", "body_encoding": "x"}, "headers": []}',
    b'{"body": "", "properties": {"delivery_tag": "a", "delivery_info": 7}}',
    b"[" * 100_000,
    json.dumps(
        {
            "body": base64.b64encode(body(1)).decode(),
            "content-type": "application/json",
            "content-encoding": "utf-8",
            "headers": headers(),
            "properties": {"delivery_tag": "b", "body_encoding": "base64", "delivery_info": 7},
        }
    ).encode(),
]


def test_garbage_is_dropped(
    tmp_path: Path, redis_server: RedisServer, postgres_server: PostgresDatabases
) -> None:
    (tmp_path / "games.txt").write_text("\n".join(GAMES))
    with postgres_server.database(initialised=True) as url:
        service = Service(tmp_path, url, redis_server.url)
        with (
            service.worker("--threads=1", patient=True) as worker,
            redis_server.client() as client,
        ):
            client.delete("c4.unacked", "c4.unacked_index")  # leftovers of killed workers
            for lane in Lane:
                for garbage in GARBAGE:
                    client.lpush(lane.queue, garbage)
            await_that(lambda: client.pubsub_numpat() > 0, worker)
            for garbage in GARBAGE:  # for Celery's remote control, which reconnects after some
                await_that(partial(client.publish, "/0.celery.pidbox", garbage), worker)
            await_that(is_empty(service), worker)
            done = service("analyze", "games.txt", "--output", "out")
            assert done.code == 0, done.err + worker.log
            assert worker.log.count("INFO worker ada") == 1, worker.log
            assert worker.stop() == 0
            assert "Traceback" not in worker.log
            errors = [line for line in worker.log.splitlines() if "ERROR" in line]
            assert all("Control command error" in line for line in errors)  # one line of Celery's
            assert "CRITICAL" not in worker.log
            assert client.hgetall("c4.unacked") == {}, worker.log
