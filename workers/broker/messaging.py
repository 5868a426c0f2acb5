"""The settings of the Celery app, for either broker. Every value that was measured says so."""

from __future__ import annotations

from typing import Any, Final

from celery import Celery
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES

from db.decoding import is_number
from workers.core.lanes import Lane

TASK: Final = "c4.work_on_unit"
"""The name of the only task."""

KEPT_HEADERS: Final = ("id", "task", "argsrepr", "kwargsrepr", "root_id", "origin")
"""Headers of a message that are kept: those that the library needs or shows in its events."""

CONNECT_SECONDS: Final = 4
"""How long a broker may take to answer a new connection."""

REPLY_SECONDS: Final = 5.0
"""How long a broker may take to answer anything: without a limit a publisher would wait for ever
on a connection whose other end has vanished."""

_NAMELESS: Final = Exchange("")
# The default exchange leads to every queue by its name. Bindings would not survive a broker that
# was wiped empty; there are none.

_REDIS: Final[dict[str, Any]] = {
    # A message that is taken and not acknowledged is given out again after this. It is a doorbell,
    # and the unit's lease decides: so nothing is lost by a longer time, and nothing done twice by
    # a shorter one. The library's hour would keep the messages of dead workers for as long.
    "visibility_timeout": 60,
    # How often somebody looks for such messages. Without the second of these the first counts ten
    # times: measured, with a timeout of 5 s a message came back after 102 s, and now after 8.
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    # Names of our own, so that no other program on the same server gives out our messages, or we
    # those of its long tasks.
    "unacked_key": "c4.unacked",
    "unacked_index_key": "c4.unacked_index",
    "unacked_mutex_key": "c4.unacked_mutex",
    "unacked_mutex_expire": 30,
    # The order in which the queues are listed: interactive first.
    "queue_order_strategy": "priority",
    # How long a request for the next message waits at the server. It cannot be taken back, so a
    # worker that ends has to wait for as long.
    "polling_interval": 0.5,
    "socket_connect_timeout": CONNECT_SECONDS,
    "socket_timeout": REPLY_SECONDS,
    "socket_keepalive": True,
    "health_check_interval": 10,
}

_RABBITMQ: Final[dict[str, Any]] = {
    "confirm_publish": True,  # without it a message that RabbitMQ did not get is lost in silence
}

_QUORUM: Final = {"x-queue-type": "quorum"}
# Measured: such queues lost nothing when workers or the broker were killed with -9.


# The schemes keep their names: by "rediss" the library knows that it has to encrypt.
TRANSPORT_ALIASES.update(
    dict.fromkeys(("redis", "rediss"), "workers.broker.redis_transport:Transport")
)


def make_app(url: str | None) -> Celery:
    """A Celery app for a broker.

    Args:
        url: the broker's, checked; None: as Celery's own options and environment say.
    """
    app = Celery("c4", include=["workers.tasks"])
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
        # The database holds the truth: a result that nobody reads is work for nothing.
        result_backend=None,
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        accept_content=["json"],
        task_serializer="json",
        result_serializer="json",
        # A message stays with the broker until its unit is done with.
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        worker_soft_shutdown_timeout=1.0,
        worker_consumer="workers.broker.consumer:UnitConsumer",
        task_send_sent_event=False,
        worker_redirect_stdouts=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
    )
    return app


def read_unit(headers: Any, body: Any) -> int:  # noqa: ANN401 (whatever somebody has sent)
    """The number of the unit that a message names.

    Args:
        headers: of the message, as they came.
        body: likewise, decoded.

    Raises:
        ValueError: it is no message such as :class:`workers.broker.doorbell.Doorbell` sends. It
            never will be, whoever gets it.
    """
    if not isinstance(headers, dict) or headers.get("task") != TASK:
        raise ValueError("it is for another program")
    if not isinstance(headers.get("id"), str):
        raise ValueError("it has no name")  # noqa: TRY004 (a bad message, whatever is bad)
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
    """The queue of a lane; on RabbitMQ a quorum queue, whose messages survive the server."""
    return Queue(
        lane.queue,
        exchange=_NAMELESS,
        routing_key=lane.queue,
        durable=True,
        queue_arguments=_QUORUM if durable_log else None,
    )
