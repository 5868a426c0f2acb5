"""Run a server until a signal stops it.

The HTTP server is uvicorn with h11, which reads one request of a connection at a time: requests
that a client sends ahead wait in one buffer of the connection. Slow heads, idle connections and
clients that do not read are left to a proxy (``deploy/nginx``).
"""

from __future__ import annotations

import asyncio
import gc
import os
import resource
import signal
import socket
import sys
from contextlib import contextmanager
from dataclasses import replace
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Final

import uvicorn

from c4core.errors import C4Error
from web.access import is_host_name
from web.app import create_app

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from web.service import Service
    from web.settings import ServerSettings

OTHERS: Final = 256
"""Number of file descriptors for the database, books and jobs."""


def room_for_connections(wanted: int) -> int:
    """Raise the limit of open files if possible; return the possible number of connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = wanted + OTHERS
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return wanted
    if hard != resource.RLIM_INFINITY:
        needed = min(needed, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, needed), hard))
    except (OSError, ValueError):  # macOS has a lower limit than it reports
        needed = soft
    return max(1, min(wanted, max(soft, needed) - OTHERS))


TURN_SECONDS: Final = 0.0005
"""Switch interval of Python threads. A thread that waits for a socket or disk releases the
interpreter and gets it back one interval later. Measured beside a busy thread, a query of 16 rows
took 27 ms with Python's default of 5 ms, and less than 1 ms with this interval."""


@contextmanager
def short_switch_interval() -> Iterator[None]:
    """Use a short switch interval and short garbage collections until the end of the block.

    Objects that exist at the beginning are frozen: scanning them would stop all threads for about
    50 ms at each collection.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(TURN_SECONDS)
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        sys.setswitchinterval(before)


SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""The signals of Ctrl-C, of service managers, and of closed terminals."""

GRACE_SECONDS: Final = 5
"""Time for responses to end when the server stops. Searches and streams end at once."""

HEAD_BYTES: Final = 32 * 1024
"""Maximum size of an incomplete request line with headers. The longest game takes a tenth."""

BACKLOG: Final = 2048


class ListenError(C4Error):
    """The server cannot or must not listen at the given address."""


def serve(
    settings: ServerSettings, *, on_ready: Callable[[str], object] = lambda _url: None
) -> None:
    """Run a server until SIGINT, SIGTERM or SIGHUP; a second signal ends the process at once.

    Call it in the main thread. It returns when all unfinished work has been handed back.
    ``on_ready`` is called with the address as soon as the server answers.

    Raises:
        ListenError: the server cannot listen at the address, or other machines can reach it and
            there is no token; or the token, a host name or a proxy's address is invalid.
        StorageError: the database cannot be opened.
        BrokerUrlError: the broker's URL cannot be used.
        BookError, OSError: the book cannot be read.
    """
    limits = settings.limits
    limits = replace(limits, connections=room_for_connections(limits.connections))
    settings = replace(settings, limits=limits)
    _check_token(settings.token)
    _check_hosts(settings)
    _check_proxies(settings)
    ignored = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_IGN]

    def start(service: Service) -> None:
        """Take the signals from uvicorn, which would not end the streams and searches first."""
        loop = asyncio.get_running_loop()
        for number in SIGNALS:
            if number in ignored:
                signal.signal(number, signal.SIG_IGN)
            else:
                loop.add_signal_handler(number, end, service, number)
        on_ready(_address(settings.host, listener))

    def end(service: Service, number: int) -> None:
        if server.should_exit:
            os._exit(128 + number)
        server.should_exit = True
        service.stopping.set()

    listener = _listen(settings)
    with listener:
        app = create_app(settings, start)
        service: Service = app.state.service
        service.open()
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                http="h11",
                h11_max_incomplete_event_size=HEAD_BYTES,
                limit_concurrency=limits.connections,
                ws="none",
                loop="uvloop",
                lifespan="on",
                log_config=None,
                log_level="error",  # malformed requests must not fill the log
                access_log=False,
                server_header=False,
                proxy_headers=bool(settings.proxies),
                forwarded_allow_ips=list(settings.proxies),
                timeout_graceful_shutdown=GRACE_SECONDS,
            )
        )
        try:
            with short_switch_interval():
                server.run([listener])
        finally:
            service.close()


def _check_token(token: str | None) -> None:
    """Check that clients can send the token in a header."""
    if token is None:
        return
    if not token.strip():
        raise ListenError("the token is empty: set C4_WEB_TOKEN to a token, or unset it")
    if token != token.strip() or not (token.isascii() and token.isprintable()):
        raise ListenError(
            "the token has characters that a header cannot carry: use printable ASCII characters, "
            "without blanks at the ends"
        )


def _check_hosts(settings: ServerSettings) -> None:
    for name in settings.allowed_hosts:
        if not is_host_name(name):
            raise ListenError(
                f"--allow-host takes a host name without scheme and port, such as c4.example, "
                f"not {name!r}"
            )
        if settings.token is None:
            raise ListenError(
                f"others can reach this server as {name}: set a token in C4_WEB_TOKEN, which "
                "clients must send to change data"
            )


def _check_proxies(settings: ServerSettings) -> None:
    for proxy in settings.proxies:
        try:
            ip_network(proxy)
        except ValueError:
            raise ListenError(
                f"--trust-proxy takes an IP address such as 127.0.0.1 or a network such as "
                f"10.0.0.0/8, not {proxy!r}"
            ) from None


def _listen(settings: ServerSettings) -> socket.socket:
    host, port = settings.host, settings.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, _, _, _, address = min(found, key=lambda each: each[0] != socket.AF_INET)
        if settings.token is None and not ip_address(str(address[0])).is_loopback:
            raise ListenError(
                f"others can reach {host}: set a token in C4_WEB_TOKEN, which clients must send to "
                "change data; or listen at 127.0.0.1"
            )
        return socket.create_server((str(address[0]), port), family=family, backlog=BACKLOG)
    except (OSError, UnicodeError) as error:  # UnicodeError: the name is too long
        raise ListenError(f"cannot listen at {host}, port {port}: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    """The system's message, without the address that Python adds."""
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error)


def _address(host: str, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"
