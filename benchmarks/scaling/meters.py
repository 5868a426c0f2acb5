"""Meters for the processor time of servers and other processes, and for round trips."""

from __future__ import annotations

import re
import socket
import statistics
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import redis
from sqlalchemy import make_url
from workers.celery.doorbell import Doorbell

from benchmarks.processes import clear
from benchmarks.scaling.limits import Cost
from db.database import Database

if TYPE_CHECKING:
    from collections.abc import Iterable

PROC: Final = Path("/proc")
NANOSECOND: Final = 1e-9


class MeterError(Exception):
    """A cost cannot be measured on this machine."""


class Took(NamedTuple):
    """The processor time of one or more threads, in seconds."""

    running: float
    delayed: float
    """Time in which the threads waited for a processor; it is not part of a cost."""

    def __sub__(self, earlier: Took) -> Took:
        """The time since an earlier reading."""
        return Took(self.running - earlier.running, self.delayed - earlier.delayed)


Meter = Callable[[], Took]
"""Returns the processor time so far."""


def processes(pids: Iterable[int]) -> Took:
    """The processor time of all threads of these processes; ended processes are left out."""
    running = delayed = 0
    for pid in pids:
        with suppress(OSError):
            for task in (PROC / str(pid) / "task").iterdir():
                with suppress(OSError):  # the thread has ended
                    took = (task / "schedstat").read_text().split()
                    running += int(took[0])
                    delayed += int(took[1])
    return Took(running * NANOSECOND, delayed * NANOSECOND)


def this_thread() -> Took:
    """The processor time of this thread."""
    running, delayed, _slices = (PROC / "thread-self" / "schedstat").read_text().split()
    return Took(int(running) * NANOSECOND, int(delayed) * NANOSECOND)


def backends(database: str) -> list[int]:
    """The processes of a PostgreSQL server on this machine that serve a database."""
    title = re.compile(rf"postgres: .*\b{re.escape(database)} \S+\(\d+\) ")
    found = []
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                if title.match(command.decode(errors="replace")):
                    found.append(int(entry.name))
    return found


def database_meter(database: str) -> Meter:
    """A meter for a PostgreSQL server's work for one database."""
    if not backends(database) or not (PROC / "thread-self" / "schedstat").exists():
        raise MeterError(
            f"no process here serves the database {database!r}: the PostgreSQL server must run on "
            "this machine, and /proc must show its processor time"
        )
    return lambda: processes(backends(database))


class RedisServer:
    """Observes a Redis server on this machine."""

    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(url)
        info: dict[str, Any] = self._client.info("server")
        self.version = str(info["redis_version"])
        self._pid = int(info["process_id"])
        if "redis" not in _command(self._pid):
            raise MeterError("the Redis server must run on this machine")

    def meter(self) -> Took:
        """The server's processor time so far."""
        return processes([self._pid])

    def messages(self, queue: str) -> int:
        """The number of messages that wait in a queue or are being processed."""
        kept: Any = self._client.hlen("c4.unacked")
        listed: Any = self._client.llen(queue)
        return int(kept) + int(listed)

    def empty(self) -> None:
        """Delete all data in the database named by the URL."""
        self._client.flushdb()

    def close(self) -> None:
        """Close the connection."""
        self._client.close()


def _command(pid: int) -> str:
    with suppress(OSError):
        return (PROC / str(pid) / "cmdline").read_text(errors="replace")
    return ""


def measure_cost(work: Callable[[], object], meter: Meter, *, times: int) -> Cost:
    """Measure the mean cost of a call."""
    server, client, wall = meter(), this_thread(), time.perf_counter()
    for _ in range(times):
        work()
    elapsed = time.perf_counter() - wall
    client, server = this_thread() - client, meter() - server
    wait = elapsed - sum(client) - sum(server)
    return Cost(server.running, client.running, max(0.0, wait)) * (1 / times)


def median(costs: Iterable[Cost]) -> Cost:
    """The median of each part."""
    found = list(costs)
    return Cost(
        *(statistics.median(getattr(cost, part.name) for cost in found) for part in fields(Cost))
    )


class RoundTrips:
    """A proxy that counts the round trips of all connections of a client."""

    def __init__(self, host: str, port: int) -> None:
        self.count = 0
        self._server = (host, port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = [self._listener]

    def __enter__(self) -> Self:
        """Start the proxy."""
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        """Close all connections."""
        for one in self._sockets:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _address = self._listener.accept()
                server = socket.create_connection(self._server)
                self._sockets += [client, server]
                turn = _Turn()
                for source, target, asks in ((client, server, True), (server, client, False)):
                    threading.Thread(
                        target=self._forward, args=(source, target, turn, asks), daemon=True
                    ).start()

    def _forward(
        self,
        source: socket.socket,
        target: socket.socket,
        turn: _Turn,
        asks: bool,  # noqa: FBT001
    ) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                if asks and not turn.asked:
                    self.count += 1
                turn.asked = asks
                target.sendall(data)
        with suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)


class _Turn:
    """The side of a connection that sent last; each change to the client is a round trip."""

    asked = False


class Place(NamedTuple):
    """The database and the broker of a measurement."""

    database_url: str
    broker_url: str
    database: Database
    doorbell: Doorbell
    redis: RedisServer
    meter: Meter
    """The meter of the database's server."""


def open_place(database_url: str, broker_url: str, at_end: ExitStack) -> Place:
    """Open the scratch database and the scratch broker, and empty both."""
    database = at_end.enter_context(Database.open(database_url))
    clear(database)
    doorbell = at_end.enter_context(closing(Doorbell(broker_url)))
    redis = at_end.enter_context(closing(RedisServer(broker_url)))
    redis.empty()
    at_end.callback(clear, database)
    at_end.callback(redis.empty)
    meter = database_meter(make_url(database_url).database or "")
    return Place(database_url, broker_url, database, doorbell, redis, meter)
