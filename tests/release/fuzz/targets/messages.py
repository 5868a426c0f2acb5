"""Broker messages up to the work on a unit, which always gets a possible unit number.

They pass through the worker's own consumer and through Celery. The broker is a queue in memory, and
an observer replaces the work on units.
"""

import base64
import json
import logging
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from kombu import Connection

from tests.release.fuzz.mutation import ODD, mutated, mutated_json, mutated_text
from tests.release.fuzz.target import Target
from workers.celery.messaging import TASK, make_app
from workers.celery.process import CURRENT_WORKER
from workers.core.kinds import Lane

NOTHING = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
HEADERS = {
    "id": "2b2a1a9e", "task": TASK, "lang": "py", "shadow": None, "eta": None, "expires": None,
    "group": None, "retries": 0, "timelimit": [None, None], "root_id": "2b2a1a9e",
    "parent_id": None, "argsrepr": "(7,)", "kwargsrepr": "{}", "origin": "x", "ignore_result": True,
}  # fmt: skip
TYPES = (
    "application/json", "application/x-python-serialize", "application/x-yaml", "", "text/plain",
)  # fmt: skip
ENCODINGS = ("utf-8", "", "binary", "x", "utf-16")


def make(chance: Random) -> bytes:
    body = json.dumps([[7], {}, NOTHING]).encode()
    headers: Any = HEADERS
    match chance.randrange(4):
        case 0:
            body = mutated(chance, body)
        case 1:
            body = json.dumps([[chance.choice(ODD)], {}, NOTHING]).encode()
        case 2:
            body = mutated_text(chance, [[7], {}, NOTHING])
        case _:
            headers = mutated_json(chance, HEADERS)
    case = {
        "body": base64.b64encode(body).decode(),
        "headers": headers,
        "type": TYPES[0] if chance.random() < 0.8 else chance.choice(TYPES),
        "encoding": ENCODINGS[0] if chance.random() < 0.8 else chance.choice(ENCODINGS),
    }
    return json.dumps(case).encode()


class _Site:
    """Receives the numbers of units to work on."""

    def __init__(self) -> None:
        self.unit_worker = self

    def work_on(self, unit_id: object, _lane: Lane) -> bool:
        assert type(unit_id) is int
        assert 0 <= unit_id < 2**63
        return True


def prepare_messages(_: Path) -> Target:
    logging.disable()
    app = make_app("memory://")
    consumer = app.Worker(pool="threads", concurrency=1, hostname="fuzz@here").consumer
    taken: list[Any] = []
    consumer.on_task_request = taken.append
    consumer.update_strategies()
    handle = consumer.create_task_handler()
    channel = Connection("memory://").channel()
    queue = app.amqp.queues[Lane.BULK.queue](channel)
    queue.declare()

    def run(data: bytes) -> None:
        case = json.loads(data)
        prepared = channel.prepare_message(
            base64.b64decode(case["body"]),
            content_type=case["type"],
            content_encoding=case["encoding"],
            headers=case["headers"],
        )
        channel.basic_publish(prepared, exchange="", routing_key=queue.name)
        message = queue.get(no_ack=False)
        assert message is not None
        handle(message)
        with mock.patch.object(CURRENT_WORKER, "worker", _Site):
            while taken:
                taken.pop().execute()
        assert message.acknowledged
        assert queue.get() is None  # it is not queued again

    return Target(make, run)
