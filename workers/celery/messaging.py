"""The settings of the Celery app for both brokers. Measured values are marked as such."""

from __future__ import annotations

from typing import Any, Final

from celery import Celery
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from db.decoding import is_number
from workers.core.kinds import Lane

TASK: Final = "c4.work_on_unit"
"""The name of the only task."""

KEPT_HEADERS: Final = ("id", "task", "argsrepr", "kwargsrepr", "root_id", "origin")
"""The kept headers of a message: the library needs them, or its events show them."""

CONNECT_SECONDS: Final = 4
"""Maximum time for a broker to accept a new connection."""

REPLY_SECONDS: Final = 5.0
"""Maximum time for a broker to answer; without it a publisher could wait for ever."""

_NAMELESS: Final = Exchange("")
# The default exchange leads to every queue by its name, so there are no bindings. Bindings would be
# lost when a broker is wiped.

_REDIS: Final[dict[str, Any]] = {
    # A message that was taken and not acknowledged is delivered again after this time. It only
    # announces a unit, whose lease decides. A longer time therefore loses nothing, and a shorter
    # one does nothing twice. The library would keep a dead worker's messages for an hour.
    "visibility_timeout": 60,
    # Interval of the search for such messages. Without the second setting, it is ten times as long:
    # measured with a timeout of 5 s, a message came back after 102 s instead of 8 s.
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    # Our own names: another program on the same server must not redeliver our messages, nor we the
    # messages of its long tasks.
    "unacked_key": "c4.unacked",
    "unacked_index_key": "c4.unacked_index",
    "unacked_mutex_key": "c4.unacked_mutex",
    "unacked_mutex_expire": 30,
    # The order in which the queues are listed: interactive first.
    "queue_order_strategy": "priority",
    # How long a request for the next message waits at the server. It cannot be cancelled, so a
    # worker that ends has to wait for it.
    "polling_interval": 0.5,
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": REPLY_SECONDS,
    "socket_keepalive": True,
    "health_check_interval": 10,
}

_RABBITMQ: Final[dict[str, Any]] = {
    "confirm_publish": True,  # otherwise a message can be lost without an error
    # Without limits a thread would wait forever for a server that no longer answers.
    "read_timeout": REPLY_SECONDS,
    "write_timeout": REPLY_SECONDS,
}

_QUORUM: Final = {"x-queue-type": "quorum"}
# Measured: quorum queues lost nothing when workers or the broker were killed with -9.


# The schemes keep their names: "rediss" tells the library to encrypt.
TRANSPORT_ALIASES.update(
    {
        "redis": "workers.celery.transports:RedisTransport",
        "rediss": "workers.celery.transports:RedisTransport",
        "amqp": "workers.celery.transports:RabbitMQTransport",
        "amqps": "workers.celery.transports:RabbitMQSSLTransport",
    }
)


def make_app(url: str | None) -> Celery:
    """Create a Celery app for a broker; without a URL, Celery's options and environment apply."""
    app = Celery("c4", include=["workers.celery.process"])
    on_redis = url is not None and url.lower().startswith("redis")
    app.conf.update(
        broker_url=url,
        broker_transport_options=_REDIS if on_redis else _RABBITMQ,
        broker_connection_timeout=CONNECT_SECONDS,
        broker_connection_retry=True,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,  # for ever
        broker_channel_error_retry=True,
        broker_heartbeat=20,
        task_queues=[queue_of(lane, durable_log=not on_redis) for lane in Lane],
        task_default_queue=Lane.BULK.queue,
        task_default_exchange="",
        task_default_routing_key=Lane.BULK.queue,
        task_create_missing_queues=False,
        # The results are in the database.
        result_backend=None,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        # A message stays at the broker until the work on its unit has ended.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_soft_shutdown_timeout=1.0,
        worker_consumer="workers.celery.consumer:UnitConsumer",
        task_send_sent_event=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
    )
    return app


def read_unit(headers: Any, body: Any) -> int:  # noqa: ANN401 (unchecked input)
    """Return the unit number in a message, from its unchecked headers and decoded body.

    Raise ValueError for messages that do not come from a :class:`workers.celery.doorbell.Doorbell`:
    no worker can use them.
    """
    if not isinstance(headers, dict) or headers.get("task") != TASK:
        raise ValueError("it is for another program")
    if not isinstance(headers.get("id"), str):
        raise ValueError("it has no name")  # noqa: TRY004 (any fault makes it a bad message)
    match body:
        case [[int(unit_id)], {**named}, {**embedded}] if not named:
            pass
        case _:
            raise ValueError("it is not the number of a unit")
    if isinstance(unit_id, bool) or not is_number(unit_id):
        raise ValueError("no unit has such a number")
    if any(embedded.values()):
        raise ValueError("it asks for more than a unit")
    return unit_id


def queue_of(lane: Lane, *, durable_log: bool) -> Queue:
    """Return the queue of a lane; on RabbitMQ a quorum queue, whose messages survive a crash."""
    return Queue(
        lane.queue,
        exchange=_NAMELESS,
        routing_key=lane.queue,
        durable=True,
        queue_arguments=_QUORUM if durable_log else None,
    )
