"""The HTTP protocol: uvicorn's, with limits for a server on the public internet.

uvicorn leaves these limits to a proxy:

=======================================  ========================================================
head (request line and headers)          at most :data:`HEAD_BYTES` and :data:`HEAD_FIELDS`: 431
incomplete head                          408 after :data:`HEAD_SECONDS`
body that stops arriving                 408 after ``Limits.read_seconds``
response before the end of the body      the rest is discarded for :data:`LINGER_SECONDS`
response that the client does not read   the connection is aborted after :data:`WRITE_SECONDS`
not HTTP                                 400
a header of :data:`SINGLE` given twice   400
trailers after a chunked body            ignored, because they are not checked
more than ``Limits.connections``         503
too many connections of one client       429: ``Limits.connections_per_client``
=======================================  ========================================================

These errors also have ``error`` and ``field``; then the connection is closed.

This module uses names that uvicorn may change in any version, so the package's metadata has an
upper bound for uvicorn. Raise the bound when ``tests/unit/web/test_protocol.py`` passes with a
newer version.
"""

from __future__ import annotations

import http
import logging
from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from web.access import client_name
from web.middleware import NEVER_KEPT, SECURITY
from web.responses import RETRY_SECONDS, encode
from web.settings import Limits

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

HEAD_BYTES: Final = 32 * 1024
"""Maximum size of the request line and all headers. The longest game and grid take a tenth."""
HEAD_FIELDS: Final = 100
"""Maximum number of headers of a request, including trailers after a chunked body."""
SINGLE: Final = frozenset(
    {
        b"access-control-request-method",
        b"authorization",
        b"content-encoding",
        b"content-type",
        b"expect",
        b"host",
        b"origin",
        b"sec-fetch-site",
    }
)
"""Headers that may be given only once, because different code may read different duplicates."""
HEAD_SECONDS: Final = 10.0
WRITE_SECONDS: Final = 300.0
"""Time for which a client may stop reading. It is long, because people may page through a batch's
output."""
LINGER_SECONDS: Final = 2.0
"""Time until a refused connection is closed. If it closed at once, a client that is still sending
would see a reset instead of the response."""
MOST_TURNED_AWAY: Final = 64
"""Maximum number of refused connections that wait to be closed; others are aborted at once."""

POLICY_HEADERS: Final = "".join(
    f"{name.decode()}: {value.decode()}\r\n" for name, value in (*SECURITY, NEVER_KEPT)
)
"""Headers of the responses that this module writes."""

LOGGER: Final = logging.getLogger("c4.web.connections")
"""Logs errors of the server only, so that malformed requests cannot fill the log."""
LOGGER.setLevel(logging.ERROR)

TOO_LARGE: Final = f"the head of the request has more than {HEAD_BYTES} bytes"
TOO_LONG: Final = f"the address has more than {HEAD_BYTES} bytes"
TOO_MANY: Final = f"the request has more than {HEAD_FIELDS} headers"


def protocol_for(limits: Limits, proxies: frozenset[str] = frozenset()) -> type[GuardedProtocol]:
    """The protocol class with a server's limits, for ``uvicorn.Config(http=...)``."""

    class Protocol(GuardedProtocol):
        """A connection of this server."""

    Protocol.limits = limits
    Protocol.proxies = proxies
    Protocol.clients = Counter()
    Protocol.refused_connection = set()
    return Protocol


class GuardedProtocol(HttpToolsProtocol):
    """A connection with limits."""

    limits: ClassVar[Limits] = Limits()
    proxies: ClassVar[frozenset[str]] = frozenset()
    clients: ClassVar[Counter[str]] = Counter()
    """Number of accepted connections by client."""
    refused_connection: ClassVar[set[GuardedProtocol]] = set()
    """Refused connections whose clients may still read the response."""

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 (uvicorn's)
        super().__init__(*arguments, **named)
        self.logger = LOGGER
        self._timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._head_bytes = 0
        self._counted_bytes = self._counted_fields = 0
        self._is_in_head = True
        self.is_in_body = False
        self._is_ending = False
        self._refusal: tuple[int, str] | None = None
        self._answering: _Answering | None = None
        self._client: str | None = None
        """The client for whom this connection is counted."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a connection, or refuse it if there are too many."""
        super().connection_made(cast("asyncio.Transport", transport))
        client = client_name(self.client[0]) if self.client else ""
        most = self.limits.connections_per_client
        if client not in self.proxies and self.clients[client] >= most:
            self._turn_away(429, f"your address has {most} connections, the limit for one client")
        elif len(self.connections) > self.limits.connections:
            self._turn_away(503, "the server has too many connections")
        else:
            self._client = client
            self.clients[client] += 1
            self._wait_for_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """Release the connection's count and timers."""
        self._is_ending = True
        self.refused_connection.discard(self)
        if self._client is not None:
            self.clients[self._client] -= 1
            if not self.clients[self._client]:
                del self.clients[self._client]
        self._set_timer(None)
        self._stop_write_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Parse the received bytes."""
        if self._is_ending or self._refusal is not None:
            return  # discarded
        if self._is_in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self._is_in_head and self._head_bytes > HEAD_BYTES:
            self._refuse(431, TOO_LARGE)
        if not self._is_ending:
            self._wait_for_more()

    def on_message_begin(self) -> None:
        """Begin a request."""
        super().on_message_begin()
        self._is_in_head, self._head_bytes = True, 0
        self._counted_bytes = self._counted_fields = 0

    def on_url(self, url: bytes) -> None:
        """Add the next bytes of the request's target."""
        super().on_url(url)
        self._count(len(url), 414, TOO_LONG)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; ignore trailers, which follow a chunked body."""
        self._counted_fields += 1
        if self._counted_fields > HEAD_FIELDS:
            self._refusal = 431, TOO_MANY
            raise ValueError(TOO_MANY)
        self._count(len(name) + len(value), 431, TOO_LARGE)
        if self._is_in_head:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Start the response."""
        self._is_in_head = False
        self._check_headers()
        super().on_headers_complete()
        self.is_in_body = True
        self._answering = _Answering(self)
        self.cycle.transport = cast("asyncio.Transport", self._answering)

    def on_message_complete(self) -> None:
        """Note the end of the request."""
        self.is_in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Continue with the next request, or refuse it."""
        is_last = not self.pipeline
        super().on_response_complete()
        if self._refusal is not None and is_last:
            self._refuse(*self._refusal)
        elif self.is_in_body and is_last:
            self.end_gently()
        elif not self._is_ending:
            self._wait_for_more()

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 (uvicorn's words)
        """Refuse a request that cannot be parsed, after the requests before it are answered."""
        status, message = self._refusal or (400, "this is not an HTTP request")
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering and not self.is_in_body:
            self._refusal = status, message
        elif is_answering and self.cycle.response_started:
            self.end_gently()
        else:
            self._refuse(status, message)

    def pause_writing(self) -> None:
        """Start the timer for a client that does not read."""
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the timer: the client reads again."""
        super().resume_writing()
        self._stop_write_timer()

    def with_close(self, head: bytes, answering: _Answering) -> bytes:
        """The response's head, with ``Connection: close`` if the connection will be closed.

        It will be closed if the response ends before the request's body. A stream has no
        Content-Length and may end after the body, so its head stays unchanged.
        """
        is_newest = answering is self._answering
        if not (self.is_in_body and is_newest) or b"\r\ncontent-length: " not in head:
            return head
        if not self.cycle.keep_alive:
            return head  # it has the header already
        self.cycle.keep_alive = False
        return head[:-2] + b"connection: close\r\n\r\n"

    def end_gently(self) -> None:
        """Close the connection after the client has had time to read the response."""
        if self._is_ending or self.transport.is_closing():
            return
        if self._answering is not None:
            self._answering.flush()
        self._is_ending = True
        self._tell_the_app()
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._set_timer(LINGER_SECONDS, self.transport.close)

    def _turn_away(self, status: int, message: str) -> None:
        """Refuse a connection; abort it if :data:`MOST_TURNED_AWAY` connections are waiting."""
        self.connections.discard(self)
        if len(self.refused_connection) >= MOST_TURNED_AWAY:
            self._is_ending = True
            self.transport.abort()
            return
        self.refused_connection.add(self)
        self._refuse(status, message)

    def _refuse(self, status: int, message: str) -> None:
        body = encode({"error": message, "field": None})
        retry = f"retry-after: {RETRY_SECONDS}\r\n" if status in {429, 503} else ""
        head = (
            f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}\r\n"
            f"{POLICY_HEADERS}content-type: application/json\r\n"
            f"content-length: {len(body)}\r\n{retry}connection: close\r\n\r\n"
        )
        if not self.transport.is_closing():
            self.transport.write(head.encode() + body)
        self.end_gently()

    def _count(self, size: int, status: int, message: str) -> None:
        self._counted_bytes += size
        if self._counted_bytes > HEAD_BYTES:
            self._refusal = status, message
            raise ValueError(message)

    def _check_headers(self) -> None:
        """Refuse a request that repeats a header of :data:`SINGLE`."""
        found = set()
        for name, _ in self.headers:
            if name in SINGLE and name in found:
                message = f"the header {name.decode()} is given more than once"
                self._refusal = 400, message
                raise ValueError(message)
            found.add(name)

    def _tell_the_app(self) -> None:
        """Report a disconnect to the application, so that it sends nothing more."""
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def _wait_for_more(self) -> None:
        """Set the timeout for the rest of the head or the body."""
        if self.is_in_body:
            self._set_timer(self.limits.read_seconds, self._end_of_patience)
        elif self.cycle is not None and not self.cycle.response_complete:
            self._set_timer(None)  # the client waits for the response
        elif self.timeout_keep_alive_task is not None:
            self._set_timer(None)  # uvicorn has a timeout between two requests
        elif self._timer is None:
            self._set_timer(HEAD_SECONDS, self._end_of_patience)

    def _end_of_patience(self) -> None:
        self._timer = None
        if self.is_in_body and self.flow.read_paused:
            self._wait_for_more()  # the server is slow, not the client
        elif self.is_in_body and self.cycle.response_started:
            self.end_gently()
        else:
            self._refuse(408, "the rest of the request did not arrive in time")

    def _set_timer(self, seconds: float | None, call: Callable[[], object] | None = None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if seconds is not None and call is not None:
            self._timer = self.loop.call_later(seconds, call)

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None


class _Answering:
    """The transport for one response.

    The head waits until the next iteration of the event loop, so that it shares a packet with the
    beginning of the body.
    """

    __slots__ = ("_head", "_is_first", "_protocol", "_write", "is_closing")

    def __init__(self, protocol: GuardedProtocol) -> None:
        self._protocol = protocol
        self._write = protocol.transport.write
        self.is_closing = protocol.transport.is_closing
        self._head: bytes | None = None
        self._is_first = True

    def write(self, data: bytes) -> None:
        """Send a part of the response."""
        if self._is_first:
            self._is_first = False
            self._head = self._protocol.with_close(data, self)
            self._protocol.loop.call_soon(self.flush)
        elif self._head is not None:
            data, self._head = self._head + data, None
            self._write(data)
        else:
            self._write(data)

    def flush(self) -> None:
        """Send the waiting head without the body."""
        if self._head is not None and not self.is_closing():
            data, self._head = self._head, None
            self._write(data)

    def close(self) -> None:
        """Close the connection, with a delay if the request is still arriving."""
        self.flush()
        if self._protocol.is_in_body:
            self._protocol.end_gently()
        else:
            self._protocol.transport.close()
