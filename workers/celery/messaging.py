"""The messaging library, set up for C4: the Celery app's settings, and transports for both brokers.

Measured values among the settings are marked as such.

The transports are changed so that workers survive faulty servers. Any client can put anything into
Redis, and the library would end the worker that takes it. A Redis server that has reached
``maxmemory`` refuses commands that may need memory, and everything within a transaction.

A RabbitMQ server that is short of memory or disk space stops reading from every connection that
publishes. It announces this first. The library would then wait forever for any answer.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from celery import Celery
from kombu import Exchange, Queue
from kombu.transport import TRANSPORT_ALIASES, pyamqp, redis
from redis.exceptions import DataError, OutOfMemoryError, ResponseError

from db.decoding import is_number
from workers.core.kinds import Lane
from workers.errors import BrokerBlockedError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        "redis": "workers.celery.messaging:RedisTransport",
        "rediss": "workers.celery.messaging:RedisTransport",
        "amqp": "workers.celery.messaging:RabbitMQTransport",
        "amqps": "workers.celery.messaging:RabbitMQSSLTransport",
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
        worker_consumer="workers.celery.service:UnitConsumer",
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


GARBAGE: Final = (ValueError, TypeError, LookupError, AttributeError, RecursionError, DataError)
"""Errors of reading an invalid message. A failing connection raises none of these."""

FULL: Final = "its memory is full: raise maxmemory, or set maxmemory-policy to allkeys-lru"

SHORT: Final = "it is short of memory or disk space, see rabbitmqctl status"


class RedisQoS(redis.QoS):
    """The messages that were taken and not acknowledged yet; the server keeps copies of them.

    A message only announces a unit, so a copy that cannot be kept does not matter.
    """

    @contextmanager
    def pipe_or_acquire(self, pipe: Any = None, client: Any = None) -> Iterator[Any]:  # noqa: ANN401
        """A pipeline without a transaction, or the given one."""
        if pipe is not None:
            yield pipe
            return
        with self.channel.conn_or_acquire(client) as found:
            yield found.pipeline(transaction=False)

    def append(self, message: Any, delivery_tag: str) -> None:  # noqa: ANN401
        """Keep a copy of a message that was taken."""
        try:
            super().append(message, delivery_tag)
        except OutOfMemoryError:
            super(redis.QoS, self).append(message, delivery_tag)

    def restore_visible(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        """Put messages back that were taken long ago."""
        try:
            super().restore_visible(*arguments, **options)
        except OutOfMemoryError:
            pass  # it is tried again
        except ResponseError as error:
            if not str(error).startswith("WRONGTYPE"):
                raise
            _dropped(error)
            with self.channel.conn_or_acquire() as client:
                client.delete(self.unacked_key, self.unacked_index_key)

    def restore_by_tag(self, tag: Any, client: Any = None, leftmost: bool = False) -> None:  # noqa: ANN401, FBT001, FBT002
        """Put a message back; drop it if it cannot be read."""
        try:
            super().restore_by_tag(tag, client, leftmost)
        except OutOfMemoryError:
            # The sweeper sends another message. This one would come back each time.
            self._remove_from_indices(tag).execute()
        except GARBAGE as error:
            _dropped(error)
            self._remove_from_indices(tag).execute()


class RedisChannel(redis.Channel):
    """A channel that drops messages that cannot be read."""

    QoS = RedisQoS

    def _brpop_read(self, **options: Any) -> Any:  # noqa: ANN401 (the library has no types)
        try:
            return super()._brpop_read(**options)
        except GARBAGE as error:
            return _dropped(error)

    def _receive_one(self, c: Any) -> Any:  # noqa: ANN401
        # This reads broadcasts, which the library uses for remote control.
        try:
            return super()._receive_one(c)
        except GARBAGE as error:
            return _dropped(error)

    def _size(self, queue: str) -> int:
        with self.conn_or_acquire() as client, client.pipeline(transaction=False) as pipe:
            for step in self.priority_steps:
                pipe.llen(self._q_for_pri(queue, step))
            return sum(pipe.execute())

    def _queue_bind(self, *arguments: Any) -> None:  # noqa: ANN401
        # Only remote control has bindings. Work goes on without it.
        with suppress(OutOfMemoryError):
            super()._queue_bind(*arguments)


class RedisTransport(redis.Transport):
    """The transport with these channels."""

    Channel = RedisChannel


class RabbitMQConnection(pyamqp.Connection):
    """A connection that records whether the server reads from it."""

    is_blocked = False
    was_blocked = False

    def _on_blocked(self) -> None:
        self.is_blocked = self.was_blocked = True

    def _on_unblocked(self) -> None:
        self.is_blocked = False

    def drain_events(self, timeout: float | None = None) -> None:
        """Wait for the next answer; with a timeout of 0, only check for one.

        Raise BrokerBlockedError instead of waiting if the server does not read from this
        connection.
        """
        self.refuse_to_wait(timeout)
        super().drain_events(timeout)
        self.refuse_to_wait(timeout)

    def refuse_to_wait(self, timeout: float | None) -> None:
        """Raise an error if the server does not read from this connection."""
        if self.is_blocked and timeout != 0:
            raise BrokerBlockedError(SHORT)


class RabbitMQTransport(pyamqp.Transport):
    """The transport with these connections."""

    Connection = RabbitMQConnection


class RabbitMQSSLTransport(pyamqp.SSLTransport):
    """The encrypted transport with these connections."""

    Connection = RabbitMQConnection


def look_whether_blocked(connection: Any) -> None:  # noqa: ANN401 (the library has no types)
    """Read the server's recent messages; connections to other kinds of servers are never blocked.

    Raises:
        BrokerBlockedError: the server does not read from this connection.
        OSError: the connection is lost, or was blocked earlier: messages of that time are late.
    """
    if not isinstance(connection, RabbitMQConnection):
        return
    while True:
        try:
            connection.drain_events(timeout=0)
        except TimeoutError:
            break
    connection.refuse_to_wait(None)
    if connection.was_blocked:
        raise ConnectionResetError("it was short of memory or disk space meanwhile")


def _dropped(error: Exception) -> bool:
    LOGGER.warning("an invalid message was dropped: %s", ascii(error))
    return True
