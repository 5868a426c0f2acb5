"""The work of one worker process on the units that messages name.

All threads of the process share one database, one transposition table and one lease keeper. When
the process must stop, every search ends and every unit is handed back.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM, Consent
from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import SCHEMA_FAULTS, NotADatabaseError, StorageError
from db.jobs.watching import has_queued_unit
from workers.celery.doorbell import call
from workers.core.kinds import Lane, find_kind, is_for_others, lane_of_job
from workers.core.leases import LEASE_SECONDS, LeaseKeeper
from workers.core.run import RetryingWriter, UnitEnd, UnitReport, pause, run_unit
from workers.core.searching import TurnTakingSolver
from workers.errors import BrokerUnreachableError
from workers.logs import LOGGER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from c4core.solver import Solver
    from db.database import Database, Session
    from db.records.jobs import Claim
    from workers.celery.doorbell import Doorbell

STOP_AGAIN_SECONDS: Final = 0.01
"""Interval of stopping searches: a thread may begin one just after a stop."""

ROUND_SECONDS: Final = 0.2
"""Maximum time that a message waits for a turn if its lane has no more units to announce; then the
message goes back to the queue."""

URGENT_ROUND_SECONDS: Final = 2.0
"""The same limit for any unit of a growing job, however many are queued."""

WITHOUT_MESSAGE_SECONDS: Final = 30.0
"""A thread may take further units of a growing job until this long after its message."""

_FATAL: Final = (MemoryError, NotADatabaseError, *SCHEMA_FAULTS)
"""Errors after which this process cannot work."""

SUSPECT_LAPSES: Final = 2
"""Number of lapsed leases from which a unit is suspected of killing its workers."""

SPARE_SECONDS: Final = 2.0
"""Time that a claimed unit waits for its turn before each check for an idle worker."""

REST_TRIES: Final = 3
"""Pause of a thread after an error: as long as after this number of failed attempts."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings of a worker."""

    name: str
    """A name for users; every worker should have its own."""
    threads: int = 1
    """Number of threads that search at a time, for each lane."""
    table_mb: int = 64
    """Size of the table that its threads share, in megabytes."""
    lanes: tuple[Lane, ...] = tuple(Lane)
    """The lanes from which it takes messages."""
    programs: Consent = NO_PROGRAM
    """Programs that it may start as players. Anyone who can write to the database can ask for any.
    """


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
    in_work: int = 0
    """Number of units that are being worked on, under leases."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """Count the start of a unit."""
        with self._lock:
            self.in_work += 1

    def end(self, report: UnitReport | None, positions: int) -> None:
        """Count the end of a unit; without a report if the outcome could not be written."""
        with self._lock:
            self.in_work -= 1
            if report is not None:
                self._count(report, positions)

    def go_on(self, report: UnitReport, positions: int) -> None:
        """Count the end of a unit and the start of another one, as if no time passed in between."""
        with self._lock:
            self._count(report, positions)

    def _count(self, report: UnitReport, positions: int) -> None:
        self.units[report.end] += 1
        self.nodes += report.nodes
        self.seconds += report.seconds
        if report.end is UnitEnd.DONE:
            self.positions += positions


class WaitingUnit:
    """A claimed unit that waits for its turn to be searched.

    A worker holds one unit more than it has threads. If that unit waits long while another worker
    is idle, it is handed back.
    """

    def __init__(self, database: Database, lane: Lane) -> None:
        self._database = database
        self._lane = lane
        self._next_look = time.monotonic() + SPARE_SECONDS
        self.is_better_elsewhere = False
        """Whether another worker was found to be idle."""

    def look(self) -> bool:
        """Check regularly whether another worker is idle; called while the unit waits."""
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + SPARE_SECONDS
            with suppress(StorageError), self._database.read() as session:
                workers = jobs.live_workers(session)
                others = sum(self._lane.queue in worker.queues for worker in workers) - 1
                # While units are queued, the other workers are busy with them.
                self.is_better_elsewhere = others > 0 and not has_queued_unit(
                    session,
                    engine_version=ENGINE_VERSION,
                    interactive=self._lane.is_interactive,
                )
        return self.is_better_elsewhere


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The next units after one that has ended."""

    announced: Sequence[int] = ()
    """The announced units, still without messages."""
    claim: Claim | None = None
    """A claim on a further unit, without a message."""


class UnitWorker:
    """Works on units, in the threads that call it, with one solver for all of them.

    The database may be unreachable at any time. ``on_fatal`` is called with an error after which
    this process cannot work.

    Attributes:
        counters: count units, positions and nodes.
        stopping: set when the worker must stop.
    """

    def __init__(
        self,
        database: Database,
        doorbell: Doorbell,
        solver: Solver,
        settings: WorkerSettings,
        *,
        on_fatal: Callable[[Exception], None],
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self.settings = settings
        self.counters = UnitCounters()
        self.stopping = threading.Event()
        self._database = database
        self._doorbell = doorbell
        self._solver = solver
        # Each lane has turns of its own: an interactive unit must not wait for a bulk unit. If both
        # lanes have work, they share the processors.
        self._searchers = {lane: TurnTakingSolver(solver, settings.threads) for lane in Lane}
        self._on_fatal = on_fatal
        self._lease_seconds = lease_seconds
        # The lanes in which every unit was announced when this worker last checked.
        self._emptied: set[Lane] = set()
        # Units that may kill this process are worked on one at a time, and none of them waits here
        # for a turn meanwhile. A harmless unit therefore lapses a few times at most.
        self._suspect_turn = threading.Lock()
        self._writer = RetryingWriter(database, self.stopping)
        self._leases = LeaseKeeper(database, lease_seconds, on_lost=solver.stop)

    @property
    def leases(self) -> int:
        """Number of leases that are kept alive."""
        return self._leases.held

    def start(self) -> None:
        """Begin to keep leases alive."""
        self._leases.start()

    def stop(self) -> None:
        """End all searches and hand back open units. Returns when that is written."""
        self.stopping.set()
        while self.counters.in_work:
            self._solver.stop()
            threading.Event().wait(STOP_AGAIN_SECONDS)
        self._leases.close()

    def work_on(self, unit_id: int, lane: Lane) -> bool:
        """Work on the unit of a message, which came through this lane, if the unit is still open.

        Waits while the database cannot be reached. Errors of the unit are logged, not raised.
        Return False if the unit is still open, and its message should go back to the queue.
        """
        if self.stopping.is_set() or self._is_better_elsewhere(lane):
            return False
        self.counters.begin()
        report, positions = None, 0
        until = time.monotonic() + WITHOUT_MESSAGE_SECONDS
        at_end = ExitStack()
        try:
            growing_job, claim = self._writer.run(lambda session: self._claim(session, unit_id))
            with self._searching(lane, grows=growing_job is not None) as searcher:
                if searcher is None:
                    return False
                if growing_job is not None:
                    claim = self._claim_piece(growing_job)
                if claim is None:
                    LOGGER.debug("unit %d: nothing to do", unit_id)
                    return True
                if not self._may_begin(claim, at_end):
                    return False
                positions = claim.positions
                report, following = self._solve(claim, searcher, until)
                while following is not None:
                    self.counters.go_on(report, positions)
                    report, positions = None, following.positions
                    report, following = self._solve(following, searcher, until)
        except (StorageError, MemoryError, OSError) as error:
            self._report_failure(unit_id, error)
            return False
        finally:
            at_end.close()
            self.counters.end(report, positions)
        return report.end is not UnitEnd.HANDED_BACK

    def _may_begin(self, claim: Claim, at_end: ExitStack) -> bool:
        """Whether a claimed unit may begin here; otherwise it is handed back.

        ``at_end`` is closed when the unit has ended.
        """
        if claim.lapses < SUSPECT_LAPSES:
            return True
        if self._suspect_turn.acquire(blocking=False):
            at_end.callback(self._suspect_turn.release)
            LOGGER.warning("unit %d was lost %d times before", claim.unit_id, claim.lapses)
            return True
        self._writer.run(lambda session: jobs.release(session, claim))
        self.stopping.wait(URGENT_ROUND_SECONDS)
        return False

    def _is_better_elsewhere(self, lane: Lane) -> bool:
        """Whether a unit would wait here for a turn while the queue is empty.

        Then another worker may be idle: the message goes back until a worker has a turn.
        """
        return lane in self._emptied and not self._searchers[lane].has_turn(ROUND_SECONDS)

    def _claim(self, session: Session, unit_id: int) -> tuple[int | None, Claim | None]:
        """The number of the unit's job if that job grows; else a claim on the unit, if possible."""
        job = jobs.job_of_unit(session, unit_id)
        if job is not None:
            job_id, name = job
            kind = find_kind(name)
            if kind is not None and kind.go_on is not None:
                return job_id, None
        return None, jobs.claim_unit(
            session,
            unit_id,
            owner=self.settings.name,
            lease_seconds=self._lease_seconds,
            engine_version=ENGINE_VERSION,
        )

    def _claim_piece(self, job_id: int) -> Claim | None:
        return self._writer.run(lambda session: self._next_piece(session, job_id))

    def _next_piece(self, session: Session, job_id: int) -> Claim | None:
        return jobs.claim_next_piece(
            session,
            job_id,
            owner=self.settings.name,
            lease_seconds=self._lease_seconds,
            engine_version=ENGINE_VERSION,
        )

    @contextmanager
    def _searching(self, lane: Lane, *, grows: bool) -> Iterator[TurnTakingSolver | None]:
        """The searcher for a unit; None if no thread is free for it.

        A unit of a growing job has a turn from its claim to its end. Its piece may change with
        every result until it is claimed, so it waits for its turn unclaimed. A thread that has
        completed a unit has written the result before it claims the next one.
        """
        searcher = self._searchers[lane]
        if not grows:
            yield searcher
            return
        with searcher.turn_within(URGENT_ROUND_SECONDS) as alone:
            yield None if self.stopping.is_set() else alone

    def _solve(
        self, claim: Claim, searcher: TurnTakingSolver, until: float
    ) -> tuple[UnitReport, Claim | None]:
        """Solve a unit; return its outcome, and any claim on a further unit without a message.

        A further unit may follow ``until`` this time of the monotonic clock.
        """
        kind = find_kind(claim.kind)
        if kind is None or is_for_others(self._database, claim, self.settings.programs):
            return self._refuse(claim), None
        lane = lane_of_job(claim.priority)
        chosen = _Chosen()

        def choose(session: Session) -> None:
            nonlocal chosen
            goes_on = kind.go_on is not None and time.monotonic() < until
            chosen = self._choose_next(session, claim, lane, goes_on=goes_on)

        spare = WaitingUnit(self._database, lane)
        with self._leases.hold(claim) as lease:
            turns = searcher.unless(lambda: lease.is_lost or (not turns.has_begun and spare.look()))
            report = run_unit(
                self._database,
                turns,
                claim,
                lambda: lease.is_lost or self.stopping.is_set(),
                programs=self.settings.programs,
                writer=self._writer,
                at_end=choose,
            )
        if spare.is_better_elsewhere and self._writer.run(lambda at: jobs.release(at, claim)):
            self._emptied.add(lane)  # so that the message goes back, too
            report = UnitReport(UnitEnd.HANDED_BACK)
        _log(claim, report)
        if chosen.claim is not None or chosen.announced:
            self._emptied.discard(lane)
            self._ring(lane, chosen.announced)
        elif report.end is not UnitEnd.HANDED_BACK:
            self._emptied.add(lane)
            self._finish(claim.job_id)
        return report, chosen.claim

    def _choose_next(self, session: Session, claim: Claim, lane: Lane, *, goes_on: bool) -> _Chosen:
        """Choose the next units within the transaction that ends this one.

        The next piece of a growing job is claimed at once, unless another job comes first: a
        message about it would often take longer than the piece. The messages that name the job's
        units are left to other threads.
        """
        announced = jobs.announce(
            session,
            engine_version=ENGINE_VERSION,
            interactive=lane.is_interactive,
            # If no unit was left before, another worker may be idle, and needs a message, too.
            # While the broker accepts none, an attempt may take seconds, and would only delay the
            # next unit.
            limit=0 if self._doorbell.trouble else 2 if lane in self._emptied else 1,
        )
        if not goes_on or self.stopping.is_set():
            return _Chosen(announced)
        first = jobs.job_of_unit(session, announced[0]) if announced else None
        if first is not None and first[0] != claim.job_id:
            return _Chosen(announced)
        piece = self._next_piece(session, claim.job_id)
        return _Chosen(announced if piece is None else announced[1:], piece)

    def _ring(self, lane: Lane, unit_ids: Sequence[int]) -> None:
        try:
            call(self._writer, self._doorbell, lane, unit_ids)
        except BrokerUnreachableError as error:
            LOGGER.debug("cannot ring for the next unit: %s", error)  # the sweeper rings again

    def _finish(self, job_id: int) -> None:
        with suppress(StorageError):  # otherwise the sweeper does it
            self._writer.run(lambda session: jobs.finish_if_complete(session, job_id))

    def _refuse(self, claim: Claim) -> UnitReport:
        """Leave a unit to workers that know its kind, or that may start its programs."""
        self._writer.run(lambda session: jobs.release(session, claim))
        self._rest()
        return UnitReport(UnitEnd.HANDED_BACK)

    def _report_failure(self, unit_id: int, error: Exception) -> None:
        if isinstance(error, _FATAL):
            self._on_fatal(error)
        elif self.stopping.is_set():
            LOGGER.warning("unit %d is free again when its lease runs out: %s", unit_id, error)
        else:
            LOGGER.error("unit %d: %s", unit_id, error)
        self._rest()

    def _rest(self) -> None:
        """Pause before the next unit, which may fail in the same way."""
        self.stopping.wait(pause(REST_TRIES))


def _log(claim: Claim, report: UnitReport) -> None:
    place = f"unit {claim.unit_id} ({claim.seq} of job {claim.job_id})"
    if report.end is UnitEnd.FAILED:
        LOGGER.warning("%s failed: %s", place, report.error)
        return
    LOGGER.debug(
        "%s %s: %d positions, %d nodes in %.2f s",
        place,
        report.end.value,
        claim.positions,
        report.nodes,
        report.seconds,
    )
