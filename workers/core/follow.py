"""Follow a job: its results in order as they come, its progress, its state, its end.

Threads of this process may work on it, or workers elsewhere: its state is read from the database.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import JobStateError
from db.records.jobs import JobState, UnitState
from workers.core.kinds import find_kind, unit_objects
from workers.text import time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from c4core.lines import JsonValue
    from db.database import Database, Session
    from db.records.jobs import JobInfo, JobProgress, ServiceStatus, UnitResult, WorkerInfo

RESULT_UNITS: Final = 4
"""Number of units whose results are in memory at a time."""

UNITS_AT_A_TIME: Final = 16
"""Number of units that :func:`iterate_units` reads at a time."""

POLL_SECONDS: Final = 0.25
"""Time between two reads of a job's state."""

LEAST_SECONDS: Final = 1.0
"""A rate over a shorter time depends too much on chance."""

LEAST_UNITS: Final = 3
"""A rate over fewer completed units depends too much on chance."""

ENDED: Final = frozenset({UnitState.DONE, UnitState.FAILED})
"""The states of units with output."""

UNDER_WAY: Final = (JobState.PLANNING, JobState.RUNNING)
"""The states of jobs that have not ended."""


class JobFollower:
    """Follows a job that is running, or has ended.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: the job is for another version of the engine, or of another kind.
    """

    def __init__(self, database: Database, job_id: int) -> None:
        self._database = database
        self._job = read_job(database, job_id)
        refuse_foreign(self._job)

    def results(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        on_look: Callable[[JobState], None] = lambda _state: None,
    ) -> Iterator[dict[str, JsonValue]]:
        """Yield the job's output in order and as early as possible, one object per line of input.

        It ends after the last line; if the job is cancelled, before the first unit that is not
        done. Results are read from the database a few units at a time, so a slow reader costs no
        memory.

        Args:
            on_progress: called a few times a second with the job's progress, in the caller's
                thread, while the iterator waits or is read. Without it progress is not read.
            on_look: called with the job's state, before ``on_progress`` and also without it.

        Raises:
            StorageError: the database failed.
        """
        watch = _Watch(self._database, self._job.id, on_look, on_progress)
        seq = -1
        while True:
            has_ended = watch.look(at_once=self._has_certainly_ended())
            units = self._ended_units(seq)
            for unit in units:
                yield from unit_objects(self._job, unit)
                seq = unit.seq
            if not units:
                if has_ended:
                    return
                self._pause()

    def wait(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        on_look: Callable[[JobState], None] = lambda _state: None,
    ) -> JobInfo:
        """Wait for the job's end; return the job. Arguments and errors as in :meth:`results`."""
        watch = _Watch(self._database, self._job.id, on_look, on_progress)
        while not watch.look(at_once=self._has_certainly_ended()):
            self._pause()
        return read_job(self._database, self._job.id)

    def _pause(self) -> None:
        """Wait for a moment, or until there may be news."""
        time.sleep(POLL_SECONDS)

    def _has_certainly_ended(self) -> bool:
        """Whether the job has certainly ended, so that its state must be read at once."""
        return False

    def _ended_units(self, after: int) -> list[UnitResult]:
        """Some of the next units that have ended, up to the first one that has not."""
        with self._database.read() as session:
            units = jobs.unit_results(session, self._job.id, after_seq=after, limit=RESULT_UNITS)
        return list(takewhile(lambda unit: unit.state in ENDED, units))


def read_job(database: Database, job_id: int) -> JobInfo:
    """Return all information about a job.

    Raises:
        JobNotFoundError: no job has this number.
    """
    with database.read() as session:
        return jobs.get_job(session, job_id)


def iterate_units(database: Database, job_id: int) -> Iterator[UnitResult]:
    """Yield all units of a job, in order and in any state; a few are in memory at a time."""
    after = -1
    while True:
        with database.read() as session:
            units = jobs.unit_results(session, job_id, after_seq=after, limit=UNITS_AT_A_TIME)
        yield from units
        if not units:
            return
        after = units[-1].seq


def why_not_done(job: JobInfo) -> str:
    """Explain to users why a job that is not done lacks results."""
    failed = job.units[UnitState.FAILED]
    if failed:
        reason = f": {job.errors[0]}" if job.errors else ""
        return f"job {job.id}: {failed:,} of {sum(job.units.values()):,} units failed{reason}"
    return f"job {job.id} is {job.state}: it has to be done first"


def refuse_foreign(job: JobInfo, *, in_states: Collection[JobState] = (JobState.RUNNING,)) -> None:
    """Refuse a job whose units this program can never get or read.

    The version of the engine matters only in ``in_states``, where units have to be worked on.

    Raises:
        JobStateError: the job is for another version of the engine, or of another kind.
    """
    if find_kind(job.kind) is None:
        problem = f"is of kind {job.kind!r}, which this version of c4 does not know"
    elif job.state in in_states and job.engine_version != ENGINE_VERSION:
        problem = (
            f"was made for version {job.engine_version} of the engine, this is {ENGINE_VERSION}"
        )
    else:
        return
    raise JobStateError(f"job {job.id} {problem}", job_id=job.id, state=job.state)


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a watched job at some moment."""

    job: JobProgress
    """The database's counts of units, positions, nodes; its own rate is that of the last minute."""
    seconds: float
    """Seconds since the watch began."""
    rate: float | None
    """Positions per second since the watch began; None until enough is done."""
    remaining: float | None
    """Estimated seconds until the end (:mod:`db.jobs.watching`); None while unknown."""


class ProgressMeter:
    """Turns snapshots of a job into rates.

    Only positions that are completed after the first snapshot count for the rate: positions done
    before the job was resumed do not show the present rate. The remaining time is the database's
    (:mod:`db.jobs.watching`), because other positions may take much longer than the completed ones.
    """

    def __init__(self, first: JobProgress, clock: Callable[[], float] = time.monotonic) -> None:
        self._first = first
        self._clock = clock
        self._start = clock()

    def look(self, now: JobProgress) -> Progress:
        """Return the progress at a later snapshot of the same job."""
        seconds = self._clock() - self._start
        left = now.positions - now.positions_done - now.positions_failed
        done = now.positions_done - self._first.positions_done
        units = now.units_done - self._first.units_done
        if left == 0:
            return Progress(now, seconds, done / seconds if seconds > 0 and done else None, 0.0)
        is_chance = seconds < LEAST_SECONDS or units < LEAST_UNITS or done <= 0
        return Progress(now, seconds, None if is_chance else done / seconds, now.eta_seconds)


class _Watch:
    """Polls a job; without ``on_progress`` only the job's state is read."""

    def __init__(
        self,
        database: Database,
        job_id: int,
        on_look: Callable[[JobState], None],
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self._database = database
        self._job_id = job_id
        self._on_look = on_look
        self._on_progress = on_progress
        self._meter: ProgressMeter | None = None
        self._progress: Progress | None = None
        self._state = self._read()
        self._next = 0.0

    def look(self, *, at_once: bool) -> bool:
        """Whether the job had ended when its state was last read, which may be a moment ago."""
        now = time.monotonic()
        if now >= self._next or (at_once and not self._has_ended):
            if not self._has_ended:
                self._state = self._read()
            self._next = now + POLL_SECONDS
            self._on_look(self._state)
            if self._on_progress is not None and self._progress is not None:
                self._on_progress(self._progress)
        return self._has_ended

    @property
    def _has_ended(self) -> bool:
        return self._state is not JobState.RUNNING

    def _read(self) -> JobState:
        with self._database.read() as session:
            if self._on_progress is None:
                return jobs.state_of(session, self._job_id)
            seen = jobs.progress(session, self._job_id)
        self._meter = self._meter or ProgressMeter(seen)
        self._progress = self._meter.look(seen)
        return seen.state


def read_totals(session: Session) -> ServiceStatus:
    """Return totals over all jobs. Without a live worker there is neither a rate nor a time."""
    totals = jobs.totals(session)
    if totals.workers:
        return totals
    is_done = totals.eta_seconds == 0
    return replace(totals, positions_per_second=None, eta_seconds=0.0 if is_done else None)


def job_object(job: JobInfo) -> dict[str, Any]:
    """Return a job as a JSON object. Times are in UTC."""
    fields = asdict(job) | {"state": str(job.state), "board": str(job.board)}
    for name in ("created_at", "started_at", "finished_at"):
        fields[name] = time_text(fields[name])
    for name in ("units", "positions"):
        fields[name] = by_name(getattr(job, name))
    return fields


def progress_object(progress: JobProgress) -> dict[str, Any]:
    """Return the progress of a job as a JSON object."""
    return asdict(progress) | {"state": str(progress.state)}


def status_object(totals: ServiceStatus) -> dict[str, Any]:
    """Return totals over all jobs as a JSON object."""
    fields = asdict(totals)
    fields["jobs"] = by_name(totals.jobs)
    fields["live_workers"] = [worker_object(worker) for worker in totals.live_workers]
    return fields


def worker_object(worker: WorkerInfo) -> dict[str, Any]:
    """Return a worker as a JSON object: times in UTC, ``nodes_per_second`` of one thread."""
    fields = asdict(worker)
    fields["queues"] = list(worker.queues)
    fields["nodes_per_second"] = worker.nodes / worker.seconds if worker.seconds else None
    for name in ("started_at", "seen_at"):
        fields[name] = time_text(fields[name])
    return fields


def by_name(numbers: Mapping[Any, int]) -> dict[str, int]:
    """Return numbers by state, with the states as text."""
    return {str(state): number for state, number in numbers.items()}
