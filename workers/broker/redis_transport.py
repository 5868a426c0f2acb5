"""The messaging library's transport for Redis, which survives invalid messages.

Anybody can put anything into a list in Redis. The library would end the worker that takes it.
"""

from __future__ import annotations

from typing import Any, Final

from kombu.transport import redis
from redis.exceptions import DataError

from workers.logs import LOGGER

GARBAGE: Final = (ValueError, TypeError, LookupError, AttributeError, RecursionError, DataError)
"""Errors of reading an invalid message. A failing connection raises none of these."""


class Channel(redis.Channel):
    """A channel that drops messages that cannot be read."""

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


def _dropped(error: Exception) -> bool:
    LOGGER.warning("what is no message was dropped: %s", ascii(error))
    return True


class Transport(redis.Transport):
    """The transport with such channels."""

    Channel = Channel
