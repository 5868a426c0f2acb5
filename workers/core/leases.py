"""Keep the leases of units alive while they are solved, and detect when one is lost."""

from __future__ import annotations

import random
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from logging import DEBUG, WARNING
from typing import TYPE_CHECKING, Final

from db.errors import StorageError
from db.jobs import queue
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from db.database import Database, Session
    from db.records.jobs import Claim

LEASE_SECONDS: Final = 10.0
"""The units of a dead process become free after this time."""

BEATS_PER_LEASE: Final = 5
"""Number of heartbeats within the time of a lease, so that several may fail before it expires."""

RECORD_SECONDS: Final = 5.0
"""Time between two signs of life of the jobs that are worked on."""


TICK_SECONDS: Final = 0.25
"""Time between two looks at the leases."""


class PeriodicThread:
    """A daemon thread that calls a function every ``seconds``, the first time after ``first``.

    An error is logged once, as "cannot ``purpose``", and the thread goes on.
    """

    def __init__(
        self, purpose: str, seconds: float, do: Callable[[], object], *, first: float = 0.0
    ) -> None:
        self._purpose = purpose
        self._seconds = seconds
        self._do = do
        self._first = first
        self._closed = threading.Event()
        self._is_failing = False
        self._thread = threading.Thread(target=self._go, name=f"c4 {purpose}"[:15], daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """End the thread after its present call; does not wait for one that hangs on a server."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=0.5)

    def _go(self) -> None:
        pause = self._first
        while not self._closed.wait(pause):
            try:
                self._do()
            except Exception as error:  # noqa: BLE001 (the thread must go on)
                # Without logging set up, the traceback would be shown to the user.
                trace = LOGGER.hasHandlers() and not isinstance(error, (StorageError, OSError))
                level = DEBUG if self._is_failing else WARNING
                message = "cannot %s, trying again: %s"
                LOGGER.log(level, message, self._purpose, error, exc_info=trace)
                self._is_failing = True
            else:
                if self._is_failing:
                    LOGGER.warning("it is possible again to %s", self._purpose)
                self._is_failing = False
            # Jitter separates processes that started together.
            pause = random.uniform(0.8, 1.2) * self._seconds  # noqa: S311 (no secret)


@dataclass(slots=True)
class Lease:
    """A claim that is being worked on."""

    claim: Claim
    due: float
    """When it must be prolonged, by a monotonic clock."""
    is_lost: bool = False
    """Whether another worker has the unit, or the job was cancelled: further work is useless."""


class LeaseKeeper:
    """A thread that prolongs all held leases, several times before they would expire.

    With the leases, it records a sign of life of their jobs. ``on_lost`` interrupts the searches;
    it is called repeatedly while a lost lease is still held. If the database cannot be reached, the
    next beat tries again. If a lease expires meanwhile, the fence reveals it when the unit is
    completed.
    """

    def __init__(
        self, database: Database, lease_seconds: float, on_lost: Callable[[], None]
    ) -> None:
        self._database = database
        self._lease_seconds = lease_seconds
        self._on_lost = on_lost
        self._leases: dict[tuple[int, int], Lease] = {}
        self._lock = threading.Lock()
        self._beat_seconds = lease_seconds / BEATS_PER_LEASE
        self._record_due = 0.0
        tick = min(TICK_SECONDS, self._beat_seconds)
        self._thread = PeriodicThread("keep leases", tick, self._tick, first=tick)

    @property
    def held(self) -> int:
        """Number of leases that are kept alive."""
        with self._lock:
            return len(self._leases)

    def start(self) -> None:
        """Begin to prolong the leases."""
        self._thread.start()

    @contextmanager
    def hold(self, claim: Claim) -> Iterator[Lease]:
        """Keep the lease of a claim alive within the context."""
        lease = Lease(claim, due=time.monotonic() + self._beat_seconds)
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
        """End the thread. Leases that are still held will expire."""
        self._thread.close()

    def _tick(self) -> None:
        with self._lock:
            leases = list(self._leases.values())
        held = [lease for lease in leases if not lease.is_lost]
        now = time.monotonic()
        due = [lease for lease in held if now >= lease.due]
        try:
            if due or (held and now >= self._record_due):
                self._note(due, self._database.run(lambda session: self._beat(session, held, due)))
                self._record_due = now + RECORD_SECONDS
                for lease in due:
                    lease.due = now + self._beat_seconds
        finally:
            if any(lease.is_lost for lease in leases):
                self._on_lost()

    def _beat(self, session: Session, held: list[Lease], due: list[Lease]) -> list[bool]:
        queue.record_work(session, {lease.claim.job_id for lease in held})
        claims = [lease.claim for lease in due]
        return queue.prolong(session, claims, self._lease_seconds) if claims else []

    @staticmethod
    def _note(leases: list[Lease], held: list[bool]) -> None:
        for lease, is_held in zip(leases, held, strict=True):
            lease.is_lost = not is_held
