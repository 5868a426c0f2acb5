"""Run C4 commands in separate processes: measure their use of resources, and run workers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import click
from sqlalchemy import text

from benchmarks.record import ROOT
from db import jobs
from db.models import Base

if TYPE_CHECKING:
    from collections.abc import Callable

    from db.database import Database

KILOBYTE: Final = 1024
START_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.1

_EMPTY: Final = text(f"TRUNCATE {', '.join(Base.metadata.tables)} RESTART IDENTITY")


class Usage(NamedTuple):
    """The time and memory of a process."""

    seconds: float
    """Wall-clock seconds from the start to the end."""
    processor_seconds: float
    """Processor seconds of all threads."""
    peak_mb: float
    """Peak memory in megabytes."""


class FleetError(Exception):
    """The workers do not start, make no progress, or have ended."""


def run_c4(*arguments: str, silent: bool = False) -> Usage:
    """Run ``c4`` to its end; ``silent`` drops its output.

    Raises:
        click.ClickException: the exit code was not 0.
    """
    return run_program(sys.executable, "-m", "cli", *arguments, silent=silent)


def run_program(*command: str, silent: bool = False) -> Usage:
    """Run a program to its end, like :func:`run_c4`."""
    begin = time.perf_counter()
    output = subprocess.DEVNULL if silent else None
    with subprocess.Popen(command, cwd=ROOT, stdout=output) as process:
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if process.returncode:
        raise click.ClickException(f"{' '.join(command)} failed with code {process.returncode}")
    return Usage(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / KILOBYTE)


def clear(database: Database) -> None:
    """Truncate all tables, because deleted rows would still take space."""
    with database.write() as session:
        session.execute(_EMPTY)


class Fleet:
    """Workers that run until the end of a ``with`` statement, with ``threads`` threads each."""

    def __init__(
        self,
        database_url: str,
        broker_url: str,
        *,
        workers: int = 1,
        threads: int = 1,
    ) -> None:
        self._environment = {"C4_DB": database_url, "C4_BROKER": broker_url}
        self._names = [f"benchmark-{number}" for number in range(workers)]
        self._options = ("--threads", str(threads), "--table-mb", "8")
        self._processes: list[subprocess.Popen[bytes]] = []
        self._log = tempfile.NamedTemporaryFile(prefix="c4-workers-", suffix=".log")  # noqa: SIM115

    def __enter__(self) -> Self:
        """Start the workers."""
        for name in self._names:
            self._processes.append(
                subprocess.Popen(
                    [sys.executable, "-m", "cli", "worker", "--name", name, *self._options],
                    env=os.environ | self._environment,
                    stdout=self._log,
                    stderr=self._log,
                )
            )
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop the workers."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self._log.close()

    @property
    def pids(self) -> list[int]:
        """The process ids of the workers."""
        return [process.pid for process in self._processes]

    def await_registered(self, database: Database) -> None:
        """Wait until all workers have registered with the database.

        Raises:
            FleetError: they do not register in time.
        """

        def are_there() -> bool:
            with database.read() as session:
                known = {worker.name for worker in jobs.live_workers(session)}
            return known >= set(self._names)

        self.wait(are_there, START_SECONDS)

    def wait(self, condition: Callable[[], bool], seconds: float) -> None:
        """Wait until a condition holds.

        Raises:
            FleetError: it does not hold in time, or a worker has ended.
        """
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline or any(
                process.poll() is not None for process in self._processes
            ):
                tail = Path(self._log.name).read_text(errors="replace")[-2000:]
                raise FleetError(f"the workers make no progress:\n{tail}")
            time.sleep(POLL_SECONDS)
