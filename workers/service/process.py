"""A worker process: a unit worker with its periodic duties, whoever takes the messages."""

from __future__ import annotations

import os
import secrets
import socket
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.players import NO_PROGRAM, Consent
from db.errors import SCHEMA_FAULTS, StorageError
from workers.core.kinds import Lane
from workers.core.leases import Duty, Rounds
from workers.logs import LOGGER
from workers.service.registration import BEAT_SECONDS, Registration
from workers.service.sweeping import pause_between_sweeps, sweep
from workers.service.table_room import solver_with_table
from workers.service.unit_worker import UnitWorker
from workers.service.without_broker import LOOK_SECONDS, WithoutBroker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from db.database import Database
    from workers.broker.doorbell import Doorbell


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of a worker."""

    name: str
    """For people; every worker should have its own."""
    threads: int = 1
    """Threads that search at a time, for each lane."""
    table_mb: int = 64
    """Megabytes of memory for what its threads have found."""
    lanes: tuple[Lane, ...] = tuple(Lane)
    """The lanes from which it takes messages."""
    programs: Consent = NO_PROGRAM
    """Which players that are programs it may start. Anybody who can write to the database or the
    broker can ask for any program."""


class WorkerProcess:
    """Everything that one process of a worker needs; made after a fork, never before.

    Args:
        database: open; closed by :meth:`stop`.
        doorbell: for the broker that the messages come from; likewise.
        settings: of the worker.
        on_fatal: called with an error after which this process cannot work.

    Raises:
        TableTooLargeError, MemoryError: there is no room for the table.

    Attributes:
        unit_worker: works on units.
        settings: as given.
    """

    def __init__(
        self,
        database: Database,
        doorbell: Doorbell,
        settings: WorkerSettings,
        *,
        on_fatal: Callable[[Exception], None],
    ) -> None:
        self.unit_worker = UnitWorker(
            database,
            doorbell,
            solver_with_table(settings.table_mb),
            name=settings.name,
            threads=settings.threads,
            on_fatal=on_fatal,
            programs=settings.programs,
        )
        self.settings = settings
        self._database = database
        self._doorbell = doorbell
        self._on_fatal = on_fatal
        without_broker = WithoutBroker(
            database,
            doorbell,
            self.unit_worker,
            lanes=settings.lanes,
            threads=settings.threads,
        )
        registration = self._registration = Registration(
            database,
            self.unit_worker.counters,
            name=settings.name,
            threads=settings.threads,
            table_mb=settings.table_mb,
            lanes=settings.lanes,
            programs=settings.programs,
            trouble=lambda: doorbell.trouble,
        )
        self._duties = [
            Duty("enter this worker in the database", lambda: BEAT_SECONDS, self._beat),
            Duty(
                "look for lost work",
                lambda: pause_between_sweeps(registration.peers),
                lambda: sweep(database, doorbell),
            ),
            Duty("work without the broker", lambda: LOOK_SECONDS, without_broker.look),
        ]
        self._rounds: Rounds | None = None

    def start(self, duties: Sequence[Duty] = ()) -> None:
        """Begin to keep leases alive, to sweep, and to renew the entry in the register.

        Args:
            duties: further periodic duties.
        """
        self.unit_worker.start()
        self._rounds = Rounds([*self._duties, *duties])
        self._rounds.start()

    def _beat(self) -> None:
        """Renew the entry in the register; the process cannot go on over a change of the schema."""
        try:
            self._registration.beat()
        except SCHEMA_FAULTS as error:
            self._on_fatal(error)

    def stop(self) -> None:
        """Hand back open units, and leave the register. Returns when that is written."""
        self.unit_worker.stop()
        if self._rounds is not None:
            self._rounds.close()
        with suppress(StorageError):
            self._registration.leave()
        self._doorbell.close()
        self._database.close()
        LOGGER.debug("everything is handed back")


def default_name() -> str:
    """A name that no other process has: the machine's, the process's number, and a random part.

    Containers may share the first, and their processes often have the same number.
    """
    return f"{socket.gethostname()}:{os.getpid()}-{secrets.token_hex(2)}"
