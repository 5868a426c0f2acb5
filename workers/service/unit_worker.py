"""The work of one worker process on the units that messages name.

All threads of the process share one database, one transposition table and one lease keeper. When
the process is told to stop, every search ends and every unit is handed back.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM
from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import SCHEMA_FAULTS, NotADatabaseError, StorageError
from workers.broker.doorbell import call
from workers.core.execution import UnitEnd, UnitReport, run_unit
from workers.core.kinds import find_kind
from workers.core.lanes import Lane, lane_of_job
from workers.core.leases import LEASE_SECONDS, LeaseKeeper
from workers.core.outages import RetryingWriter, pause
from workers.core.rationing import RationedSearcher
from workers.errors import BrokerUnreachableError
from workers.logs import LOGGER
from workers.matches.programs import is_for_others
from workers.service.counters import UnitCounters
from workers.service.spare import SpareUnit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from c4core.players import Consent
    from c4core.solver import Solver
    from db.database import Database, Session
    from db.records.jobs import Claim
    from workers.broker.doorbell import Doorbell

STOP_AGAIN_SECONDS: Final = 0.01
"""Searches are stopped this often: a thread may begin one just after a stop."""

ROUND_SECONDS: Final = 0.2
"""Seconds that one of a lane's last units waits here for a turn before its message goes back."""

URGENT_ROUND_SECONDS: Final = 2.0
"""The same for any unit of a growing job, however many are queued."""

WITHOUT_MESSAGE_SECONDS: Final = 30.0
"""So long after its message a thread may go on to further units of a growing job. A broker expects
that a message is acknowledged in time: Redis within a minute, RabbitMQ within half an hour."""

_FATAL: Final = (MemoryError, NotADatabaseError, *SCHEMA_FAULTS)
"""Errors after which this process cannot work."""

SUSPECT_LAPSES: Final = 2
"""A unit whose lease has run out so often may be what kills its workers. One lapse is usual: each
worker that is killed for another reason leaves some."""

REST_TRIES: Final = 3
"""After an error a thread pauses as long as after so many failed attempts."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What is to be worked on when a unit has ended."""

    announced: Sequence[int] = ()
    """Units for which to ring."""
    claim: Claim | None = None
    """On a further unit, which needs no message."""


class UnitWorker:
    """Works on units, in the threads that call it.

    Args:
        database: the units'; it may be unreachable at any time.
        doorbell: rings for further units.
        solver: shared by all threads.
        name: the worker's; it shows who holds a lease.
        threads: how many may search at a time, in each lane.
        on_fatal: called with an error after which this process cannot work.
        programs: which players that are programs may be started.
        lease_seconds: how long a lease lasts without a heartbeat.

    Attributes:
        counters: count units, positions and nodes.
        stopping: set when it is told to stop.
    """

    def __init__(
        self,
        database: Database,
        doorbell: Doorbell,
        solver: Solver,
        *,
        name: str,
        threads: int,
        on_fatal: Callable[[Exception], None],
        programs: Consent = NO_PROGRAM,
        lease_seconds: float = LEASE_SECONDS,
    ) -> None:
        self.counters = UnitCounters()
        self.stopping = threading.Event()
        self._database = database
        self._doorbell = doorbell
        self._solver = solver
        # Each lane has turns of its own: an interactive unit must not wait for a bulk unit. If both
        # lanes have work, they share the processors.
        self._searchers = {lane: RationedSearcher(solver, threads) for lane in Lane}
        self._name = name
        self._on_fatal = on_fatal
        self._programs = programs
        self._lease_seconds = lease_seconds
        # The lanes in which every unit was announced when this worker last checked.
        self._emptied: set[Lane] = set()
        # Units that may kill this process are worked on one at a time, and none of them waits here
        # for a turn meanwhile. So an innocent unit lapses a few times at most.
        self._suspect_turn = threading.Lock()
        self._writer = RetryingWriter(database, self.stopping)
        self._leases = LeaseKeeper(database, lease_seconds, on_lost=solver.stop)

    @property
    def leases(self) -> int:
        """The number of leases that it keeps alive."""
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
        """Work on a unit if it is still to be done.

        Waits while the database cannot be reached. Errors of the unit are logged, not raised.

        Args:
            unit_id: as ``jobs.announce`` gave it.
            lane: the lane of its message.

        Returns:
            False: the unit is still to be done, and its message should go back to the queue.
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
            self._tell_failure(unit_id, error)
            return False
        finally:
            at_end.close()
            self.counters.end(report, positions)
        return report.end is not UnitEnd.HANDED_BACK

    def _may_begin(self, claim: Claim, at_end: ExitStack) -> bool:
        """Whether a claimed unit may begin here; otherwise it is handed back.

        Args:
            claim: on the unit.
            at_end: closed when the unit has ended.
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
        """The number of a unit's job, if it is one that grows; else a claim on the unit, if any."""
        job = jobs.job_of_unit(session, unit_id)
        if job is not None:
            job_id, name = job
            kind = find_kind(name)
            if kind is not None and kind.go_on is not None:
                return job_id, None
        return None, jobs.claim_unit(
            session,
            unit_id,
            owner=self._name,
            lease_seconds=self._lease_seconds,
            engine_version=ENGINE_VERSION,
        )

    def _claim_piece(self, job_id: int) -> Claim | None:
        return self._writer.run(lambda session: self._next_piece(session, job_id))

    def _next_piece(self, session: Session, job_id: int) -> Claim | None:
        return jobs.claim_next_piece(
            session,
            job_id,
            owner=self._name,
            lease_seconds=self._lease_seconds,
            engine_version=ENGINE_VERSION,
        )

    @contextmanager
    def _searching(self, lane: Lane, *, grows: bool) -> Iterator[RationedSearcher | None]:
        """What searches for a unit; None if no thread is free for it.

        A unit of a growing job has a turn from its claim to its end. Which piece it holds may
        change with every result until it is claimed. So it waits for its turn unclaimed, and a
        thread that has completed a unit has written the result before it claims the next one.
        """
        searcher = self._searchers[lane]
        if not grows:
            yield searcher
            return
        with searcher.turn_within(URGENT_ROUND_SECONDS) as alone:
            yield None if self.stopping.is_set() else alone

    def _solve(
        self, claim: Claim, searcher: RationedSearcher, until: float
    ) -> tuple[UnitReport, Claim | None]:
        """Solve a unit; its outcome, and a claim on a further unit that needs no message, if any.

        One may follow without a message until then, by the monotonic clock.
        """
        kind = find_kind(claim.kind)
        if kind is None or is_for_others(self._database, claim, self._programs):
            return self._refuse(claim), None
        lane = lane_of_job(claim.priority)
        chosen = _Chosen()

        def choose(session: Session) -> None:
            nonlocal chosen
            goes_on = kind.go_on is not None and time.monotonic() < until
            chosen = self._choose_next(session, claim, lane, goes_on=goes_on)

        spare = SpareUnit(self._database, lane)
        with self._leases.hold(claim) as lease:
            turns = searcher.unless(lambda: lease.is_lost or (not turns.has_begun and spare.look()))
            report = run_unit(
                self._database,
                turns,
                claim,
                lambda: lease.is_lost or self.stopping.is_set(),
                programs=self._programs,
                writer=self._writer,
                at_end=choose,
            )
        if spare.is_better_elsewhere and self._writer.run(lambda at: jobs.release(at, claim)):
            self._emptied.add(lane)  # so that the message goes back, too
            report = UnitReport(UnitEnd.HANDED_BACK)
        _tell(claim, report)
        if chosen.claim is not None or chosen.announced:
            self._emptied.discard(lane)
            self._ring(lane, chosen.announced)
        elif report.end is not UnitEnd.HANDED_BACK:
            self._emptied.add(lane)
            self._finish(claim.job_id)
        return report, chosen.claim

    def _choose_next(self, session: Session, claim: Claim, lane: Lane, *, goes_on: bool) -> _Chosen:
        """Choose units to be worked on next, within the transaction that ends this one.

        The next piece of a growing job is claimed at once, unless another job comes first: a
        message about it would take longer than many a piece. The messages that name the job's units
        are left to other threads.
        """
        announced = jobs.announce(
            session,
            engine_version=ENGINE_VERSION,
            interactive=lane.is_interactive,
            # After a dry spell another worker may be idle, and needs a message, too. While the
            # broker takes none, an attempt may take seconds, and would only delay the next unit.
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
        """Leave a unit to workers that know its kind, or may start the programs of its match."""
        self._writer.run(lambda session: jobs.release(session, claim))
        self._rest()
        return UnitReport(UnitEnd.HANDED_BACK)

    def _tell_failure(self, unit_id: int, error: Exception) -> None:
        if isinstance(error, _FATAL):
            self._on_fatal(error)
        elif self.stopping.is_set():
            LOGGER.warning("unit %d comes free when its lease runs out: %s", unit_id, error)
        else:
            LOGGER.error("unit %d: %s", unit_id, error)
        self._rest()

    def _rest(self) -> None:
        """Pause before the next unit, which may fail in the same way."""
        self.stopping.wait(pause(REST_TRIES))


def _tell(claim: Claim, report: UnitReport) -> None:
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
