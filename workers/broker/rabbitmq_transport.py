"""The messaging library's transport for RabbitMQ, which notices a server that takes no messages.

A server that is short of memory or disk space stops reading from every connection that publishes.
It says so first. The library would then wait for ever for its answer to anything.
"""

from __future__ import annotations

from typing import Any, Final

from kombu.transport import pyamqp

from workers.errors import BrokerBlockedError

SHORT: Final = "it is short of memory or disk space, see rabbitmqctl status"


class Connection(pyamqp.Connection):
    """A connection that knows whether the server reads from it."""

    is_blocked = False
    was_blocked = False

    def _on_blocked(self) -> None:
        self.is_blocked = self.was_blocked = True

    def _on_unblocked(self) -> None:
        self.is_blocked = False

    def drain_events(self, timeout: float | None = None) -> None:
        """Wait for the next answer; with a timeout of 0, only look for one.

        Raises:
            BrokerBlockedError: it would wait, and the server does not read from this connection.
        """
        self.refuse_to_wait(timeout)
        super().drain_events(timeout)
        self.refuse_to_wait(timeout)

    def refuse_to_wait(self, timeout: float | None) -> None:
        """Raise an error if the server does not read from this connection."""
        if self.is_blocked and timeout != 0:
            raise BrokerBlockedError(SHORT)


class Transport(pyamqp.Transport):
    """The transport with such connections."""

    Connection = Connection


class SSLTransport(pyamqp.SSLTransport):
    """The same, encrypted."""

    Connection = Connection


def look_whether_blocked(connection: Any) -> None:  # noqa: ANN401 (the library has no types)
    """Read what the server has said meanwhile.

    Args:
        connection: the library's, to any kind of server; those to other kinds are never blocked.

    Raises:
        BrokerBlockedError: the server does not read from this connection.
        OSError: the connection is lost, or was blocked earlier: messages of that time are late.
    """
    if not isinstance(connection, Connection):
        return
    while True:
        try:
            connection.drain_events(timeout=0)
        except TimeoutError:
            break
    connection.refuse_to_wait(None)
    if connection.was_blocked:
        raise ConnectionResetError("it was short of memory or disk space meanwhile")
