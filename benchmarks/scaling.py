"""Measure what a unit costs beside its search, with a real worker at a distance from its servers.

A worker of one thread does a batch whose units take about a second. It reaches the servers through
proxies, which count round trips and delay them::

    python -m benchmarks scaling measure --postgres URL --redis URL
"""

from __future__ import annotations

import io
import os
import random
import re
import select
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

import click
import redis
from sqlalchemy import func, make_url, select as query, text

from benchmarks.games import different_games
from benchmarks.options import WITH_HELP, failures
from benchmarks.page import run_lines, table
from benchmarks.processes import FailedError
from benchmarks.record import ROOT
from c4core.lines import read_lines
from c4core.notation import DEFAULT_BOARD
from cli.measuring import time_with_unit
from db.database import Database
from db.errors import StorageError
from db.jobs import watching
from db.models import Base, Unit
from db.records.jobs import UnitState
from workers.analyze.job import submit
from workers.answers.question import Question
from workers.celery.broker import Broker
from workers.core.kinds import Lane
from workers.errors import BrokerError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from benchmarks.record import Part, Results

PROC: Final = Path("/proc")
DISTANCES: Final = (0.0, 0.01, 0.05)
"""Seconds that the proxy adds to a round trip."""

STONES: Final = 8
POSITIONS: Final = 46
NODES: Final = 2_000_000
"""The positions have 8 stones; each search ends after two million nodes. About 46 take a second."""

SKIPPED: Final = 2
"""The first units, and the last one, do not count."""

PATIENCE_SECONDS: Final = 600.0
POLL_SECONDS: Final = 0.1


@click.group(context_settings=WITH_HELP)
def main() -> None:
    """Measure the costs of units beside their search."""


@main.command()
@click.option("--postgres", metavar="URL", required=True, help="A scratch database, to be emptied.")
@click.option("--redis", "broker", metavar="URL", required=True, help="A scratch Redis database.")
@click.option("--units", type=click.IntRange(4), default=30, show_default=True)
@click.pass_obj
def measure(results: Results, *, postgres: str, broker: str, units: int) -> None:
    """Measure on servers that run on this machine."""
    with failures(StorageError, BrokerError):
        figures = [measure_at(distance, postgres, broker, units) for distance in DISTANCES]
        with Database.open(postgres) as database, database.read() as session:
            version = str(session.scalar(text("SHOW server_version"))).split(maxsplit=1)[0]
    results.keep("scaling", "measure", figures, PostgreSQL=version)


def measure_at(distance: float, postgres: str, broker: str, units: int) -> dict[str, Any]:
    """Measure the units of one job at a distance in seconds per round trip."""
    with ExitStack() as at_end:
        database = at_end.enter_context(Database.open(postgres))
        clear(database)
        at_end.callback(clear, database)
        with redis.Redis.from_url(broker) as client:
            client.flushdb()
        place, queue = make_url(postgres), urlsplit(broker)
        storage = Proxy(place.host or "127.0.0.1", place.port or 5432, distance)
        messages = Proxy(queue.hostname or "127.0.0.1", queue.port or 6379, distance)
        at_end.enter_context(storage)
        at_end.enter_context(messages)
        near = place.set(host="127.0.0.1", port=storage.port)
        worker = at_end.enter_context(
            running_worker(
                near.render_as_string(hide_password=False),
                queue._replace(netloc=f"127.0.0.1:{messages.port}").geturl(),
            )
        )
        wait(worker, lambda: bool(_workers(database)))
        _submit(database, units)
        Broker(broker).wake(Lane.BULK)
        wait(worker, lambda: _done(database) >= SKIPPED)
        before = _readings(database, place.database or "", worker, storage, messages)
        wait(worker, lambda: _done(database) >= units - 1)
        after = _readings(database, place.database or "", worker, storage, messages)
    number = after["units"] - before["units"]
    spent = {name: (after[name] - before[name]) / number for name in after}
    return {
        "distance": distance,
        "units": number,
        "search": spent["search"],
        "unit": spent["wall"],
        "share": spent["search"] / spent["wall"],
        "trips": spent["trips"],
        "messages": spent["messages"],
        "server": spent["server"],
        "python": max(0.0, spent["worker"] - spent["search"]),
    }


@contextmanager
def running_worker(database_url: str, broker_url: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of one thread, until the end of the block."""
    command = [sys.executable, "-m", "cli", "worker", "--threads=1", "--table-mb=8"]
    servers = {"C4_DB": database_url, "C4_BROKER": broker_url}
    with subprocess.Popen(command, cwd=ROOT, env=os.environ | servers) as process:
        try:
            yield process
        finally:
            process.terminate()


def wait(worker: subprocess.Popen[bytes], condition: Callable[[], bool]) -> None:
    """Wait until a condition holds.

    Raises:
        FailedError: it does not hold in time, or the worker has ended.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline or worker.poll() is not None:
            raise FailedError("the worker makes no progress")
        time.sleep(POLL_SECONDS)


def clear(database: Database) -> None:
    """Truncate all tables, because deleted rows would still take space."""
    tables = ", ".join(Base.metadata.tables)
    with database.write() as session:
        session.execute(text(f"TRUNCATE {tables} RESTART IDENTITY"))


def _workers(database: Database) -> Sequence[object]:
    with database.read() as session:
        return watching.live_workers(session)


def _submit(database: Database, units: int) -> None:
    games = different_games(random.Random(1), STONES, units * POSITIONS)  # noqa: S311
    moves = "\n".join(game.moves for game in games)
    lines = read_lines(io.BytesIO(moves.encode()), board=DEFAULT_BOARD)
    question = Question(columns=False, node_limit=NODES)
    submit(database, lines, board=DEFAULT_BOARD, question=question, unit_lines=POSITIONS, book="")


def _done(database: Database) -> int:
    with database.read() as session:
        done = query(func.count()).select_from(Unit).where(Unit.state == UnitState.DONE)
        return session.scalar(done) or 0


def _readings(
    database: Database, name: str, worker: subprocess.Popen[bytes], storage: Proxy, messages: Proxy
) -> dict[str, float]:
    """The units done, and the resources used so far."""
    with database.read() as session:
        done = query(func.count(), func.sum(Unit.seconds)).where(Unit.state == UnitState.DONE)
        units, seconds = session.execute(done).one()
    return {
        "units": units,
        "search": seconds,
        "wall": time.perf_counter(),
        "trips": storage.trips,
        "messages": messages.trips,
        "server": processor_seconds(backends(name)),
        "worker": processor_seconds([worker.pid]),
    }


def processor_seconds(pids: Iterable[int]) -> float:
    """The processor time of all threads of these processes; ended processes are left out."""
    nanoseconds = 0
    for pid in pids:
        with suppress(OSError):
            for task in (PROC / str(pid) / "task").iterdir():
                with suppress(OSError):  # the thread has ended
                    nanoseconds += int((task / "schedstat").read_text().split()[0])
    return nanoseconds / 1e9


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


class Proxy:
    """Forwards connections to a server, delays round trips and counts them.

    Attributes:
        trips: the number of times that a client has asked and waited for an answer.
    """

    def __init__(self, host: str, port: int, distance: float) -> None:
        self.trips = 0
        self._server = (host, port)
        self._delay = distance / 2
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
                for one in (client, server):
                    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._forward, args=(client, server), daemon=True).start()

    def _forward(self, client: socket.socket, server: socket.socket) -> None:
        """Forward what either side sends; each change to the client is a round trip."""
        other = {client: server, server: client}
        last = server
        with suppress(OSError, ValueError):  # a side has closed the connection
            while True:
                for source in select.select([client, server], [], [])[0]:
                    data = source.recv(1 << 16)
                    if not data:
                        client.close()
                        server.close()
                        return
                    if source is client and last is server:
                        self.trips += 1
                    last = source
                    time.sleep(self._delay)
                    other[source].sendall(data)


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in ``docs/scaling.md``."""
    kept = parts["measure"]
    rows = [
        [
            time_with_unit(each["distance"]) if each["distance"] else "none",
            f"{each['share']:.1%}",
            f"{each['trips']:.1f}",
            f"{each['messages']:.1f}",
            *(time_with_unit(each[name]) for name in ("search", "server", "python")),
        ]
        for each in kept.figures
    ]
    headings = (
        "added to a round trip | time left for the search | round trips to the database | "
        "to the broker | search | database's processor | worker's Python"
    )
    return {"run": run_lines(kept.made), "units": table(headings, rows)}
