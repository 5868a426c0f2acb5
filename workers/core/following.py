"""Following a job: its results in order as they come, its progress, its end.

Threads of this process may work on it, or workers elsewhere: its state is read from the database.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import JobStateError
from db.records.jobs import JobState, UnitState
from workers.core.kinds import find_kind, unit_objects
from workers.core.progress import JobWatch

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from c4core.lines import JsonValue
    from db.database import Database
    from db.records.jobs import JobInfo, UnitResult
    from workers.core.progress import Progress

RESULT_UNITS = 4
"""Units whose results are in memory at a time."""

UNITS_AT_A_TIME = 16
"""Units that :func:`iterate_units` has in memory together."""

ENDED = frozenset({UnitState.DONE, UnitState.FAILED})
"""The states of units with output."""


class JobFollower:
    """Follows one job.

    Args:
        database: where the job lives.
        job: as it was when the following began.
        pause: waits for a moment, or until there may be news; its errors are passed on.
        is_over: whether the job has certainly ended, so that its state must be read at once.
    """

    def __init__(
        self,
        database: Database,
        job: JobInfo,
        pause: Callable[[], None],
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._database = database
        self._job = job
        self._pause = pause
        self._is_over = is_over

    def results(
        self,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        on_look: Callable[[JobState], None] = lambda _state: None,
    ) -> Iterator[dict[str, JsonValue]]:
        """The job's output in order, one object for each line of its input, as early as possible.

        It ends after the last line; if the job is cancelled, before the first unit that is not
        done. Results are read from the database a few units at a time, so a slow reader costs no
        memory.

        Args:
            on_progress: called a few times a second with the job's progress, in the caller's
                thread, while the iterator waits or is read. Without it progress is not read.
            on_look: called before it with the job's state, in any case.

        Raises:
            StorageError: the database failed.
        """
        watch = JobWatch(self._database, self._job.id, on_look=on_look, on_progress=on_progress)
        seq = -1
        while True:
            has_ended = watch.look(at_once=self._is_over())
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
        """Wait for the job's end, and return it. Arguments and errors as in :meth:`results`."""
        watch = JobWatch(self._database, self._job.id, on_look=on_look, on_progress=on_progress)
        while not watch.look(at_once=self._is_over()):
            self._pause()
        return read_job(self._database, self._job.id)

    def _ended_units(self, after: int) -> list[UnitResult]:
        """Some of the next units that have ended, up to the first one that has not."""
        with self._database.read() as session:
            units = jobs.unit_results(session, self._job.id, after_seq=after, limit=RESULT_UNITS)
        return list(takewhile(lambda unit: unit.state in ENDED, units))


def read_job(database: Database, job_id: int) -> JobInfo:
    """Everything about a job.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    with database.read() as session:
        return jobs.get_job(session, job_id)


def iterate_units(database: Database, job_id: int) -> Iterator[UnitResult]:
    """All units of a job, in order, whatever their state; a few are in memory at a time.

    Raises:
        StorageError: the database cannot be read.
    """
    after = -1
    while True:
        with database.read() as session:
            units = jobs.unit_results(session, job_id, after_seq=after, limit=UNITS_AT_A_TIME)
        yield from units
        if not units:
            return
        after = units[-1].seq


def why_not_done(job: JobInfo) -> str:
    """Say, for people, why a job that is not done lacks results."""
    failed = job.units[UnitState.FAILED]
    if failed:
        reason = f": {job.errors[0]}" if job.errors else ""
        return f"job {job.id}: {failed:,} of {sum(job.units.values()):,} units failed{reason}"
    return f"job {job.id} is {job.state}: it has to be done first"


def refuse_foreign(job: JobInfo, *, in_states: Collection[JobState] = (JobState.RUNNING,)) -> None:
    """Refuse a job whose units this program can never get or understand.

    Args:
        job: any.
        in_states: the states in which its units have to be worked on. In other states the version
            of the engine does not matter.

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
