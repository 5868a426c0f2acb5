"""Real workers in processes of their own, and the scratch database that they share."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from sqlalchemy import text

from db import registry
from db.models import Base

if TYPE_CHECKING:
    from collections.abc import Callable

    from db.database import Database

START_SECONDS: Final = 60.0
LOOK_SECONDS: Final = 0.02

_EMPTY: Final = text(f"TRUNCATE {', '.join(Base.metadata.tables)} RESTART IDENTITY")


class FleetError(Exception):
    """The workers do not start, do not get on, or have ended."""


def clear(database: Database) -> None:
    """Truncate all tables: rows that are only deleted would still take space."""
    with database.write() as session:
        session.execute(_EMPTY)


class Fleet:
    """Workers that run until the end of a ``with`` statement.

    Args:
        database_url: the database with the units.
        broker_url: the broker of the messages.
        workers: the number of processes.
        threads: the number of threads of each.
        table_mb: the size of the table of each.
    """

    def __init__(
        self,
        database_url: str,
        broker_url: str,
        *,
        workers: int = 1,
        threads: int = 1,
        table_mb: int = 8,
    ) -> None:
        self._environment = {"C4_DB": database_url, "C4_BROKER": broker_url}
        self._names = [f"benchmark-{number}" for number in range(workers)]
        self._options = ("--threads", str(threads), "--table-mb", str(table_mb))
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
                known = {worker.name for worker in registry.live_workers(session)}
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
                raise FleetError(f"the workers get nothing done:\n{tail}")
            time.sleep(LOOK_SECONDS)
