"""Run programs in separate processes: measure their use of resources, and run a worker."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, NamedTuple, Self

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
WORKER: Final = "benchmark"

_EMPTY: Final = text(f"TRUNCATE {', '.join(Base.metadata.tables)} RESTART IDENTITY")


class Usage(NamedTuple):
    """The time and memory of a process."""

    seconds: float
    """Wall-clock seconds from the start to the end."""
    processor_seconds: float
    """Processor seconds of all threads."""
    peak_mb: float
    """Peak memory in megabytes."""


class FailedError(click.ClickException):
    """A program has failed, or makes no progress."""


def run_c4(*arguments: str, silent: bool = False) -> Usage:
    """Run ``c4`` to its end; ``silent`` drops its output.

    Raises:
        FailedError: the exit code was not 0.
    """
    sink = subprocess.DEVNULL if silent else None
    return run_program(sys.executable, "-m", "cli", *arguments, sink=sink)


def run_program(
    *command: str, source: IO[str] | int | None = None, sink: IO[str] | int | None = None
) -> Usage:
    """Run a program to its end, like :func:`run_c4`."""
    begin = time.perf_counter()
    with subprocess.Popen(command, cwd=ROOT, stdin=source, stdout=sink) as process:
        try:
            _pid, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if process.returncode:
        raise FailedError(f"{' '.join(command)} failed with code {process.returncode}")
    return Usage(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / KILOBYTE)


def clear(database: Database) -> None:
    """Truncate all tables, because deleted rows would still take space."""
    with database.write() as session:
        session.execute(_EMPTY)


class WorkerProcess:
    """A worker of one thread, which runs until the end of a ``with`` statement."""

    def __init__(self, database_url: str, broker_url: str) -> None:
        self._environment = {"C4_DB": database_url, "C4_BROKER": broker_url}
        self._log = tempfile.NamedTemporaryFile(prefix="c4-worker-", suffix=".log")  # noqa: SIM115

    def __enter__(self) -> Self:
        """Start the worker."""
        options = (f"--name={WORKER}", "--threads=1", "--table-mb=8")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cli", "worker", *options],
            env=os.environ | self._environment,
            stdout=self._log,
            stderr=self._log,
        )
        return self

    def __exit__(self, *_exception: object) -> None:
        """Stop the worker."""
        self._process.terminate()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def await_registered(self, database: Database) -> None:
        """Wait until the worker has registered with the database.

        Raises:
            FailedError: it does not register in time.
        """

        def is_there() -> bool:
            with database.read() as session:
                return WORKER in {worker.name for worker in jobs.live_workers(session)}

        self.wait(is_there, START_SECONDS)

    def wait(self, condition: Callable[[], bool], seconds: float) -> None:
        """Wait until a condition holds.

        Raises:
            FailedError: it does not hold in time, or the worker has ended.
        """
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline or self._process.poll() is not None:
                tail = Path(self._log.name).read_text(errors="replace")[-2000:]
                raise FailedError(f"the worker makes no progress:\n{tail}")
            time.sleep(POLL_SECONDS)
