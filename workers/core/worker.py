"""The loop of every worker: claim the most urgent unit, solve it, complete it and claim the next.

One transaction completes a unit and claims the next one. The most urgent unit is therefore chosen
when a thread is free, never before. A thread that finds nothing to claim ends its turn. Turns begin
in three ways:

- A wake-up arrives. A turn that claims its first unit and sees more queued units sends another
  wake-up, so idle threads everywhere begin within a few steps. Within one process a wake-up starts
  a thread; between processes it is a message (:mod:`workers.celery.broker`).
- The worker looks at the database once a second. If units are queued and a thread is free, it sends
  a wake-up. If they are still queued a second later, it begins a turn itself. This is how work goes
  on without a broker, or when messages are lost.
- All threads are busy, and the look finds an interactive unit: one additional thread takes it.

Threads of a command (:mod:`workers.core.follow`), ``c4 worker`` and the jobs of a server are this
class with other settings.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from itertools import compress, count
from logging import DEBUG, WARNING
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeVar

from c4core.players import NO_PROGRAM, Consent
from c4core.version import ENGINE_VERSION
from db.errors import (
    PASSING_FAULTS,
    SCHEMA_FAULTS,
    BusyError,
    NotADatabaseError,
    StorageError,
    UnreachableError,
)
from db.jobs import control, queue
from db.records.jobs import JobState
from workers.core.kinds import Lane, find_kind, is_for_others
from workers.core.leases import LEASE_SECONDS, LeaseKeeper, PeriodicThread
from workers.core.run import UnitEnd, UnitReport, run_unit
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from c4core.solver import Solver
    from db.database import Database, Session
    from db.jobs.queue import Eligible
    from db.records.jobs import Claim

T = TypeVar("T")

LOOK_SECONDS: Final = 1.0
"""Time between two looks at the database."""

STOP_AGAIN_SECONDS: Final = 0.01
"""Interval of stopping searches: a thread may begin one just after a stop."""

SKIP_SECONDS: Final = 30.0
"""Time for which a worker leaves a job to others after it met a unit that is for them."""

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 3.0
"""Seconds between two attempts: they double from the first to the longest."""

_FATAL: Final = (MemoryError, NotADatabaseError, *SCHEMA_FAULTS)
"""Errors after which this process cannot work."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of a worker."""

    name: str
    """A name for users; every worker should have its own."""
    threads: int = 1
    """Number of units that it works on at a time."""
    table_mb: int = 64
    """Size of the table that its threads share, in megabytes."""
    lanes: tuple[Lane, ...] = tuple(Lane)
    """The lanes from which it takes units."""
    programs: Consent = NO_PROGRAM
    """Programs that it may start as players. Anyone who can write to the database can ask for any.
    """
    redis: str | None = None
    """The URL of a Redis server through which processes share searches; None for none."""
    patience: float = inf
    """Seconds to wait for a database that is away or busy. If it is infinite, the worker also goes
    on after other errors that may pass."""


@dataclass(slots=True)
class UnitCounters:
    """Sums over units; thread-safe."""

    units: Counter[UnitEnd] = field(default_factory=Counter)
    """Number of units by how they ended."""
    positions: int = 0
    """Number of positions in units that are done."""
    nodes: int = 0
    """Number of nodes searched, for all units."""
    seconds: float = 0.0
    """Time spent searching, summed over threads."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, report: UnitReport, positions: int) -> None:
        """Count a unit that has ended."""
        with self._lock:
            self.units[report.end] += 1
            if report.outcome is not None:
                self.nodes += report.outcome.nodes
                self.seconds += report.outcome.seconds
            if report.end is UnitEnd.DONE:
                self.positions += positions


class Worker:
    """Works on units, in the threads that call :meth:`turn` and in threads of its own.

    Args:
        database: the database of the jobs; it may be unreachable at any time.
        solver: searches for all threads.
        settings: the worker's settings.
        job_ids: the only jobs to work on; may change at any time. None for all.
        wake: sends a wake-up for a lane, in a thread of its own; by default a turn begins there.
        on_error: called after an error that has stopped the worker.
        lease_seconds: how long a unit's lease lasts without a heartbeat.

    Attributes:
        counters: count units, positions and nodes.
        stopping: set when the worker must stop.
        error: the error that has stopped it.
        news: set whenever a unit or a job has ended.
        ended_jobs: the jobs whose end this worker has seen.
    """

    def __init__(
        self,
        database: Database,
        solver: Solver,
        settings: WorkerSettings,
        *,
        job_ids: Collection[int] | None = None,
        wake: Callable[[Lane], object] | None = None,
        on_error: Callable[[], object] = lambda: None,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self.settings = settings
        self.counters = UnitCounters()
        self.stopping = threading.Event()
        self.error: Exception | None = None
        self.news = threading.Event()
        self.ended_jobs: set[int] = set()
        self._database = database
        self._solver = solver
        self._job_ids = job_ids
        self._wake = wake or (lambda _lane: self.turn())
        self._on_error = on_error
        self._lease_seconds = lease_seconds
        self._leases = LeaseKeeper(database, lease_seconds, on_lost=solver.stop)
        self._look_thread = PeriodicThread("look for work", LOOK_SECONDS, self._look)
        self._known: dict[int, dict[str, Any]] = {}
        self._skipped: dict[int, float] = {}
        self._lock = threading.Lock()
        self._turns = self._resumed = 0
        self._has_additional = False
        self._has_waited = False
        self._is_away = False

    @property
    def leases(self) -> int:
        """Number of leases that are kept alive."""
        return self._leases.held

    @property
    def is_idle(self) -> bool:
        """Whether a thread is free."""
        return self._turns < self.settings.threads

    def start(self) -> None:
        """Begin to keep leases alive and to look for work."""
        self._leases.start()
        self._look_thread.start()

    def stop(self) -> None:
        """End all searches and hand back open units. Returns when that is written."""
        self.stopping.set()
        while self._turns or self._has_additional:
            self._solver.stop()
            time.sleep(STOP_AGAIN_SECONDS)
        self._look_thread.close()
        self._leases.close()

    def turn(self) -> None:
        """Work until no unit can be claimed. Returns at once if every thread has a turn."""
        with self._lock:
            if not self.is_idle or self.stopping.is_set():
                return
            self._turns += 1
        try:
            self._work(self.settings.lanes)
        finally:
            with self._lock:
                self._turns -= 1

    def resume(self, job_id: int) -> None:
        """Begin a turn for a job that is new, or was resumed."""
        with self._lock:
            self._resumed += 1
            self.ended_jobs.discard(job_id)
        self.start_turn()

    def start_turn(self) -> None:
        """Begin a turn in a thread of this worker."""
        threading.Thread(target=self.turn, name="c4-turn", daemon=True).start()

    def start_turns(self) -> None:
        """Begin a turn in every free thread."""
        for _ in range(self.settings.threads - self._turns):
            self.start_turn()

    def run(self, work: Callable[[Session], T]) -> T:
        """Run a transaction as ``Database.run``; repeat it while the database cannot be written.

        The results of a unit stay in memory meanwhile.
        """
        # A command reports a full disk or a file without permission at once.
        passing = PASSING_FAULTS if self.settings.patience == inf else (UnreachableError, BusyError)
        began = time.monotonic()
        for tries in count():
            try:
                result = self._database.run(work)
            except passing as error:
                if time.monotonic() >= began + self.settings.patience:
                    raise
                LOGGER.log(DEBUG if self._is_away else WARNING, "trying again: %s", error)
                self._is_away = True
                if self.stopping.wait(pause(tries)):
                    raise
            else:
                if self._is_away:
                    self._is_away = False
                    LOGGER.warning("the database is back")
                return result
        raise AssertionError  # count() does not end

    def _work(self, lanes: Collection[Lane]) -> None:
        """Work until no unit of these lanes can be claimed."""
        claim: Claim | None = None
        while True:
            try:
                if self.stopping.is_set():
                    if claim is not None:
                        self._database.run(partial(queue.release, claim=claim))
                    return
                claim = self._first(lanes) if claim is None else self._solve(claim, lanes)
                if claim is None:
                    return
            except (StorageError, MemoryError, OSError) as error:
                claim = None
                if isinstance(error, _FATAL) or self.settings.patience < inf:
                    self._fail(error)
                    return
                LOGGER.error("pausing: %s", error)
                self.stopping.wait(LONGEST_PAUSE)
            except Exception as error:  # noqa: BLE001 (an error of this program)
                self._fail(error)
                return

    def _fail(self, error: Exception) -> None:
        if not self.stopping.is_set():
            self.error = error
            self.stopping.set()
            self._solver.stop()
        self.news.set()
        self._on_error()

    def _first(self, lanes: Collection[Lane]) -> Claim | None:
        """Claim the first unit of a turn."""
        claim, queued = self.run(lambda session: self._claim(session, lanes, looks=True))
        self._wake_others(queued)
        return claim

    def _claim(
        self, session: Session, lanes: Collection[Lane], *, looks: bool
    ) -> tuple[Claim | None, list[Lane]]:
        """Claim the most urgent unit; with ``looks``, return the lanes with more queued units."""
        claim = queue.claim(
            session,
            self._eligible(lanes),
            owner=self.settings.name,
            lease_seconds=self._lease_seconds,
            known=self._known,
        )
        return claim, self._queued(session) if looks and claim is not None else []

    def _queued(self, session: Session) -> list[Lane]:
        """The lanes with queued units."""
        return [
            lane for lane in self.settings.lanes if queue.is_queued(session, self._eligible([lane]))
        ]

    def _eligible(self, lanes: Collection[Lane]) -> Eligible:
        """The jobs of these lanes that this worker may claim from."""
        wanted = set(lanes) & set(self.settings.lanes)
        job_ids = self._job_ids if wanted else ()
        now = time.monotonic()
        return queue.Eligible(
            ENGINE_VERSION,
            job_ids=None if job_ids is None else set(job_ids) - self.ended_jobs,
            interactive=None if wanted == set(Lane) else Lane.INTERACTIVE in wanted,
            skipped=tuple(job_id for job_id, until in list(self._skipped.items()) if now < until),
        )

    def _wake_others(self, lanes: Collection[Lane]) -> None:
        """Send wake-ups; a broker that does not answer must not delay the unit in hand."""
        for lane in lanes:
            threading.Thread(target=self._wake, args=(lane,), name="c4-wake", daemon=True).start()

    def _solve(self, claim: Claim, lanes: Collection[Lane]) -> Claim | None:
        """Solve and complete a unit; return the claim on the next one."""
        kind = find_kind(claim.kind)
        if kind is None or is_for_others(self._database, claim, self.settings.programs):
            self._skipped[claim.job_id] = time.monotonic() + SKIP_SECONDS
            self.run(partial(queue.release, claim=claim))
            return self._first(lanes)
        grows = kind.go_on is not None
        following: tuple[Claim | None, list[Lane]] | None = None

        def claim_next(session: Session) -> None:
            nonlocal following
            if not self.stopping.is_set():
                following = self._claim(session, lanes, looks=grows)

        with self._leases.hold(claim) as lease:
            report = run_unit(
                self._database,
                self._solver,
                claim,
                lambda: lease.is_lost or self.stopping.is_set(),
                programs=self.settings.programs,
                redis=self.settings.redis,
                writer=self,
                at_end=claim_next,
            )
        self.counters.add(report, claim.positions)
        _log(claim, report)
        self.news.set()
        if following is None:  # the unit was handed back
            return self._first(lanes)
        unit, queued = following
        if unit is None or unit.job_id != claim.job_id:
            self._finish(claim.job_id)
        if self.is_idle:
            self._wake_others(queued)
        return unit

    def _finish(self, job_id: int) -> None:
        """Close a job if it is complete."""
        before = self._resumed
        state = self.run(partial(control.finish_if_complete, job_id=job_id))
        with self._lock:
            # If a job was resumed meanwhile, the state may be an old one.
            if state is not JobState.RUNNING and before == self._resumed:
                self.ended_jobs.add(job_id)
                self.news.set()

    def _look(self) -> None:
        """Look at the database: queue expired units again, close complete jobs, begin turns."""
        if self.stopping.is_set():
            return
        lanes = self.settings.lanes
        with self._database.read_once() as session:
            seen = queue.survey(session, [self._eligible([lane]) for lane in lanes])
        queued = list(compress(lanes, seen.queued))
        if seen.has_expired and (units := self._database.run(queue.requeue_expired)):
            LOGGER.info("queued again, because the lease expired: %d units", units)
        if seen.complete_job is not None:
            self._finish(seen.complete_job)
        if self.is_idle:
            if queued and self._has_waited:
                self.start_turn()  # the wake-up was lost
            else:
                self._wake_others(queued)
            self._has_waited = bool(queued)
        elif Lane.INTERACTIVE in queued and not self._has_additional:
            self._has_additional = True
            threading.Thread(target=self._answer, name="c4-interactive", daemon=True).start()

    def _answer(self) -> None:
        """Work on interactive units while all other threads are busy."""
        try:
            self._work([Lane.INTERACTIVE])
        finally:
            self._has_additional = False


def pause(tries: int) -> float:
    """Return the seconds to wait after this number of failed attempts.

    With jitter, workers that lost the database together come back at different times.
    """
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(tries, 10))
    return random.uniform(0.5, 1) * longest  # noqa: S311 (no secret)


def _log(claim: Claim, report: UnitReport) -> None:
    place = f"unit {claim.unit_id} ({claim.seq} of job {claim.job_id})"
    if report.end is UnitEnd.FAILED:
        LOGGER.warning("%s failed: %s", place, report.error)
        return
    outcome = report.outcome
    LOGGER.debug(
        "%s %s: %d positions, %d nodes in %.2f s",
        place,
        report.end.value,
        claim.positions,
        outcome.nodes if outcome else 0,
        outcome.seconds if outcome else 0.0,
    )
