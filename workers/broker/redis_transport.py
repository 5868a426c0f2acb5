"""The messaging library's transport for Redis: it survives invalid messages and a full server.

Anybody can put anything into Redis, and the library would end the worker that takes it. A server
that has reached ``maxmemory`` refuses what may need memory, and whatever is in a transaction.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

from kombu.transport import redis
from redis.exceptions import DataError, OutOfMemoryError, ResponseError

from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Iterator

GARBAGE: Final = (ValueError, TypeError, LookupError, AttributeError, RecursionError, DataError)
"""Errors of reading an invalid message. A failing connection raises none of these."""

FULL: Final = "its memory is full: raise maxmemory, or set maxmemory-policy to allkeys-lru"


class QoS(redis.QoS):
    """The messages that were taken and not acknowledged yet; the server keeps copies of them.

    A copy that cannot be kept is done without: a message is only a doorbell.
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


class Channel(redis.Channel):
    """A channel that drops messages that cannot be read."""

    QoS = QoS

    def _brpop_read(self, **options: Any) -> Any:  # noqa: ANN401 (the library has no types)
        try:
            return super()._brpop_read(**options)
        except GARBAGE as error:
            return _dropped(error)

    def _receive_one(self, c: Any) -> Any:  # noqa: ANN401
        # This reads broadcasts, the library's remote control, which have queues of their own.
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


def _dropped(error: Exception) -> bool:
    LOGGER.warning("what is no message was dropped: %s", ascii(error))
    return True


class Transport(redis.Transport):
    """The transport with such channels."""

    Channel = Channel
