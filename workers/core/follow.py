"""Follow a job: its results in order as they come, its progress, its state, its end.

Threads of this process may work on it (:class:`LocalRunner`), or workers elsewhere. Its state is
read from the database.
"""

from __future__ import annotations

import os
import socket
import time
from collections import defaultdict
from dataclasses import asdict, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, Self

from c4core.players import NO_PROGRAM
from c4core.solver import Solver
from c4core.version import ENGINE_VERSION, __version__
from db.database import PATIENCE_SECONDS
from db.errors import JobStateError
from db.jobs import control, watching
from db.records.jobs import JobState, UnitState
from workers.core.kinds import check_consent, find_kind, unit_objects
from workers.core.leases import LEASE_SECONDS
from workers.core.worker import Worker, WorkerSettings
from workers.text import time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from c4core.lines import JsonValue
    from c4core.players import Consent
    from db.database import Database
    from db.records.jobs import JobInfo, ServiceStatus, UnitResult, WorkerInfo

    OnProgress = Callable[[JobInfo], object]

RESULT_UNITS: Final = 4
"""Number of units whose results are in memory at a time."""

UNITS_AT_A_TIME: Final = 16
"""Number of units that :func:`iterate_units` reads at a time."""

POLL_SECONDS: Final = 0.25
"""Time between two reads of a job's state."""

ENDED: Final = frozenset({UnitState.DONE, UnitState.FAILED})
"""The states of units with output."""

UNDER_WAY: Final = (JobState.PLANNING, JobState.RUNNING)
"""The states of jobs that have not ended."""


class JobFollower:
    """Follows a job that is running, or has ended.

    Without a ``worker``, other processes work on the job. A worker of this process works on it
    within a ``with`` block. Leaving the block stops the work, finished or not.
    """

    def __init__(self, database: Database, job_id: int, worker: Worker | None = None) -> None:
        self._database = database
        self._worker = worker
        self._job = read_job(database, job_id)
        self._due = 0.0
        refuse_foreign(self._job)

    def __enter__(self) -> Self:
        """Start the work, unless the job has ended."""
        if self._worker is not None and not self._has_ended:
            try:
                self._worker.start()
                self._worker.start_turns()
            except BaseException:  # a signal
                self._worker.stop()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the work."""
        if self._worker is not None:
            self._worker.stop()

    def results(
        self,
        on_progress: OnProgress | None = None,
        *,
        on_look: Callable[[], object] = lambda: None,
    ) -> Iterator[dict[str, JsonValue]]:
        """Yield the job's output in order and as early as possible, one object per line of input.

        It ends after the last line; if the job is cancelled, before the first unit that is not
        done. Results are read from the database a few units at a time, so a slow reader costs no
        memory.

        ``on_progress`` is called a few times a second with the job, in the caller's thread, while
        the iterator waits or is read. Without it only the job's state is read. ``on_look`` is
        called before it, and also without it.
        """
        seq = -1
        self._due = 0.0
        while True:
            has_ended = self._look(on_progress, on_look)
            units = _read_units(self._database, self._job.id, seq, RESULT_UNITS)
            ended = list(takewhile(lambda unit: unit.state in ENDED, units))
            for unit in ended:
                yield from unit_objects(self._job, unit)
                seq = unit.seq
            if not ended:
                if has_ended:
                    return
                self._pause()

    def wait(
        self,
        on_progress: OnProgress | None = None,
        *,
        on_look: Callable[[], object] = lambda: None,
    ) -> JobInfo:
        """Wait for the job's end; return the job. Arguments as in :meth:`results`."""
        self._due = 0.0
        while not self._look(on_progress, on_look):
            self._pause()
        return read_job(self._database, self._job.id)

    @property
    def _has_ended(self) -> bool:
        return self._job.state is not JobState.RUNNING

    def _look(self, on_progress: OnProgress | None, on_look: Callable[[], object]) -> bool:
        """Read the job and call the functions, a few times a second; return whether it has ended.

        The state may be a moment old, unless the worker has just seen the job's end.
        """
        is_news = self._worker is not None and self._job.id in self._worker.ended_jobs
        if time.monotonic() < self._due and (self._has_ended or not is_news):
            return self._has_ended
        self._due = time.monotonic() + POLL_SECONDS
        if on_progress is not None:
            self._job = read_job(self._database, self._job.id)
        elif not self._has_ended:
            state = self._database.ask(partial(control.state_of, job_id=self._job.id))
            self._job = replace(self._job, state=state)
        on_look()
        if on_progress is not None:
            on_progress(self._job)
        return self._has_ended

    def _pause(self) -> None:
        """Wait for a moment, or until a unit has ended here; raise an error of the worker."""
        if self._worker is None:
            time.sleep(POLL_SECONDS)
            return
        self._worker.news.wait(POLL_SECONDS)
        self._worker.news.clear()
        if self._worker.error is not None:
            raise self._worker.error


class LocalRunner(JobFollower):
    """Works on a job in threads of this process, within a ``with`` block.

    All threads search with one solver, so they share its table. Several processes may run the same
    job; each takes units that the others have not taken. When the block is left, searches end at
    once, units are handed back and their results are stored. The job can be resumed, also after a
    KeyboardInterrupt. The caller sets up signal handlers.

    ``table_mb`` is the size of the shared table in megabytes, ``programs`` the players that are
    programs and that may be started. ProgramRefusedError is raised if the job needs another one.
    """

    def __init__(
        self,
        database: Database,
        job_id: int,
        *,
        threads: int = 1,
        table_mb: int = 64,
        lease_seconds: float = LEASE_SECONDS,
        programs: Consent = NO_PROGRAM,
    ) -> None:
        settings = WorkerSettings(
            f"{socket.gethostname()}:{os.getpid()}",
            threads=threads,
            table_mb=table_mb,
            programs=programs,
            patience=PATIENCE_SECONDS,
        )
        worker = Worker(
            database,
            Solver(table_mb=table_mb),
            settings,
            job_ids={job_id},
            lease_seconds=lease_seconds,
        )
        super().__init__(database, job_id, worker)
        if not self._has_ended:
            check_consent(database, self._job, programs)


def read_job(database: Database, job_id: int) -> JobInfo:
    """Return all information about a job; raise JobNotFoundError if no job has this number."""
    return database.ask(partial(watching.get_job, job_id=job_id))


def iterate_units(database: Database, job_id: int) -> Iterator[UnitResult]:
    """Yield all units of a job, in order and in any state; a few are in memory at a time."""
    after = -1
    while True:
        units = _read_units(database, job_id, after, UNITS_AT_A_TIME)
        yield from units
        if not units:
            return
        after = units[-1].seq


def _read_units(database: Database, job_id: int, after: int, limit: int) -> list[UnitResult]:
    return database.ask(partial(watching.unit_results, job_id=job_id, after_seq=after, limit=limit))


def why_not_done(job: JobInfo) -> str:
    """Explain to users why a job that is not done lacks results."""
    failed = job.units[UnitState.FAILED]
    if failed:
        reason = f": {job.errors[0]}" if job.errors else ""
        return f"job {job.id}: {failed:,} of {sum(job.units.values()):,} units failed{reason}"
    if job.state is JobState.CANCELLED:
        return f"job {job.id} was cancelled: continue it with c4 jobs resume {job.id}"
    return f"job {job.id} is {job.state}: it has to be done first"


def refuse_foreign(job: JobInfo, *, in_states: Collection[JobState] = (JobState.RUNNING,)) -> None:
    """Raise JobStateError for a job whose units this program can never get or read.

    The version of the engine matters only in ``in_states``, where units have to be worked on.
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


def job_object(job: JobInfo) -> dict[str, Any]:
    """Return a job as a JSON object, without its rate. Times are in UTC."""
    fields = asdict(job) | {"state": str(job.state), "board": str(job.board)}
    del fields["positions_per_second"], fields["eta_seconds"]
    for name in ("created_at", "started_at", "finished_at"):
        fields[name] = time_text(fields[name])
    for name in ("units", "positions"):
        fields[name] = by_name(getattr(job, name))
    return fields


def progress_object(job: JobInfo) -> dict[str, Any]:
    """Return the progress of a job as a JSON object."""
    return {
        "job_id": job.id,
        "state": str(job.state),
        "units": sum(job.units.values()),
        "units_done": job.units[UnitState.DONE],
        "units_failed": job.units[UnitState.FAILED],
        "units_leased": job.units[UnitState.LEASED],
        "silent_seconds": job.silent_seconds,
        "positions": sum(job.positions.values()),
        "positions_done": job.positions[UnitState.DONE],
        "positions_failed": job.positions[UnitState.FAILED],
        "nodes": job.nodes,
        "seconds": job.seconds,
        "positions_per_second": job.positions_per_second,
        "eta_seconds": job.eta_seconds,
    }


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


def problems(workers: Sequence[WorkerInfo], answering: set[str] | None) -> Iterator[str]:
    """Yield a sentence for each problem with the live workers.

    ``answering`` has the names of the workers that answer at the broker; None if there is no broker
    or it does not answer.
    """
    own = f"{__version__} (engine {ENGINE_VERSION})"
    names: dict[str, list[str]] = defaultdict(list)
    for worker in workers:
        names[f"{worker.version} (engine {worker.engine_version})"].append(worker.name)
    for build in sorted(set(names) - {own}):
        yield f"this is c4 {own}, but workers run {build}: {', '.join(names[build])}"
    live = {worker.name for worker in workers}
    # The database does not have the names that Celery's own command gives to its workers.
    if answering is not None and answering <= live and (missing := sorted(live - answering)):
        yield f"workers do not answer at this broker, or use another one: {', '.join(missing)}"


def by_name(numbers: Mapping[Any, int]) -> dict[str, int]:
    """Return numbers by state, with the states as text."""
    return {str(state): number for state, number in numbers.items()}
