"""The messaging library's transports, changed so that workers survive faulty servers.

Any client can put anything into Redis, and the library would end the worker that takes it. A Redis
server that has reached ``maxmemory`` refuses commands that may need memory, and everything within a
transaction.

A RabbitMQ server that is short of memory or disk space stops reading from every connection that
publishes. It announces this first. The library would then wait forever for any answer.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from kombu.transport import pyamqp, redis
from redis.exceptions import DataError, OutOfMemoryError, ResponseError

from workers.errors import BrokerBlockedError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Iterator

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
