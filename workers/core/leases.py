"""Keep the leases of units alive while they are solved, and detect when one is lost.

:class:`PeriodicThread` is the thread for this. Processes have more such periodic tasks.
"""

from __future__ import annotations

import random
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from logging import DEBUG, WARNING
from typing import TYPE_CHECKING, Final

from db import jobs
from db.database import limit_waiting
from db.errors import StorageError
from workers.core.kinds import find_kind
from workers.errors import BrokerError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from db.database import Database
    from db.records.jobs import Claim

LEASE_SECONDS: Final = 10.0
"""The units of a dead process become free after this time."""

BEATS_PER_LEASE: Final = 5
"""Number of heartbeats within the time of a lease, so that several may fail before it runs out."""

CUT_POLL_SECONDS: Final = 0.25
"""Time between two checks whether units of growing jobs were cut off."""


@dataclass(slots=True)
class PeriodicTask:
    """A function that :class:`PeriodicThread` calls periodically."""

    name: str
    """The words for the log: ``cannot <name>``."""
    every_seconds: Callable[[], float]
    """The mean time between two runs; jitter separates processes that started together."""
    do: Callable[[], object]
    """The function; False if another process did the task (neither a success nor a failure)."""
    is_failing: bool = field(default=False, init=False)
    due: float = field(default=0.0, init=False)


class PeriodicThread:
    """A thread of this name that runs every task when it is due."""

    def __init__(self, tasks: Sequence[PeriodicTask], *, name: str = "c4-periodic") -> None:
        self._tasks = list(tasks)
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._go, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread; every task runs at once, and then periodically."""
        self._thread.start()

    def close(self) -> None:
        """End the thread after its present task; does not wait for one that hangs on a server."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=0.5)

    def _go(self) -> None:
        while not self._closed.is_set():
            for task in self._tasks:
                if time.monotonic() >= task.due and not self._closed.is_set():
                    _do(task)
                    jitter = random.uniform(0.8, 1.2)  # noqa: S311 (no secret)
                    task.due = time.monotonic() + jitter * task.every_seconds()
            soonest = min(task.due for task in self._tasks)
            self._closed.wait(max(0.0, soonest - time.monotonic()))


def _do(task: PeriodicTask) -> None:
    try:
        if task.do() is False:
            return
    except (StorageError, BrokerError, OSError) as error:
        level = DEBUG if task.is_failing else WARNING
        LOGGER.log(level, "cannot %s, trying again: %s", task.name, error)
        task.is_failing = True
    except Exception as error:  # noqa: BLE001 (the thread must go on)
        # Without logging set up, the traceback would be shown to the user.
        trace = LOGGER.hasHandlers()
        LOGGER.error("cannot %s, trying again: %r", task.name, error, exc_info=trace)
        task.is_failing = True
    else:
        if task.is_failing:
            LOGGER.warning("it is possible again to %s", task.name)
        task.is_failing = False


@dataclass(slots=True)
class Lease:
    """A claim that is being worked on."""

    claim: Claim
    may_be_cut: bool = False
    """Whether the unit's job grows, so that other results may make this unit obsolete."""
    is_lost: bool = False
    """Whether another worker has the unit, or the job was cancelled: further work is useless."""


class LeaseKeeper:
    """A thread that prolongs every held lease, several times before it would run out.

    After a failed heartbeat the next one comes as usual: without heartbeats, other workers would
    solve every unit of this process as well. ``on_lost`` interrupts the searches; it is called with
    every heartbeat while a lost lease is still held.
    """

    def __init__(
        self, database: Database, lease_seconds: float, on_lost: Callable[[], None]
    ) -> None:
        self._database = database
        self._lease_seconds = lease_seconds
        self._on_lost = on_lost
        self._leases: dict[tuple[int, int], Lease] = {}
        self._lock = threading.Lock()
        self._heartbeats = PeriodicThread(
            [
                PeriodicTask("prolong leases", lambda: lease_seconds / BEATS_PER_LEASE, self._beat),
                PeriodicTask(
                    "check for units that were cut off", lambda: CUT_POLL_SECONDS, self._look
                ),
            ],
            name="c4-leases",
        )

    @property
    def held(self) -> int:
        """Number of leases that are kept alive."""
        with self._lock:
            return len(self._leases)

    def start(self) -> None:
        """Begin to prolong the leases."""
        self._heartbeats.start()

    @contextmanager
    def hold(self, claim: Claim) -> Iterator[Lease]:
        """Keep the lease of a claim alive within the context."""
        kind = find_kind(claim.kind)
        lease = Lease(claim, may_be_cut=kind is not None and kind.go_on is not None)
        # A unit may be claimed anew by this process while an older claim on it is still held.
        name = (claim.unit_id, claim.fence)
        with self._lock:
            self._leases[name] = lease
        try:
            yield lease
        finally:
            with self._lock:
                del self._leases[name]

    def close(self) -> None:
        """End the thread. Leases that are still held will run out."""
        self._heartbeats.close()

    def _beat(self) -> None:
        with self._lock:
            leases = list(self._leases.values())
        try:
            self._prolong([lease for lease in leases if not lease.is_lost])
        finally:
            if any(lease.is_lost for lease in leases):
                self._on_lost()

    def _look(self) -> None:
        with self._lock:
            leases = [lease for lease in self._leases.values() if lease.may_be_cut]
        looked_at = [lease for lease in leases if not lease.is_lost]
        if not looked_at:
            return
        with suppress(StorageError), self._database.read() as session:
            held = jobs.are_held(session, [lease.claim for lease in looked_at])
            for lease, is_held in zip(looked_at, held, strict=True):
                lease.is_lost = not is_held
        if any(lease.is_lost for lease in looked_at):
            self._on_lost()

    def _prolong(self, leases: list[Lease]) -> None:
        """Prolong the leases, and mark lost ones.

        The leases of units that no other transaction is writing come first, in a transaction of
        their own. A process that was stopped while it planned a job keeps all its units locked;
        only their leases may have to wait for it.
        """
        if not leases:
            return
        # All transactions lock units in this order, so that there is no deadlock.
        leases.sort(key=lambda lease: lease.claim.unit_id)
        claims = [lease.claim for lease in leases]
        blocked = []
        # If the database cannot be reached, the next beat tries again. If a lease runs out
        # meanwhile, the fence reveals it when the unit is completed.
        with suppress(StorageError):
            held = self._database.run(
                lambda session: jobs.prolong(session, claims, self._lease_seconds)
            )
            for lease, is_held in zip(leases, held, strict=True):
                if is_held is None:
                    blocked.append(lease)
                else:
                    lease.is_lost = not is_held
        if blocked:
            self._prolong_blocked(blocked)

    def _prolong_blocked(self, leases: list[Lease]) -> None:
        """Wait a little for the transactions that write the units."""
        with suppress(StorageError):
            with self._database.write() as session:
                limit_waiting(session, self._lease_seconds / BEATS_PER_LEASE / 2)
                held = [
                    jobs.heartbeat(session, lease.claim, self._lease_seconds) for lease in leases
                ]
            for lease, is_held in zip(leases, held, strict=True):
                lease.is_lost = not is_held
