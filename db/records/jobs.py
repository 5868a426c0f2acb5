"""Jobs, their units and the workers, as callers see them.

A job is planned into units. A unit is some seconds of work; it is claimed, solved and completed as
a whole. Times are epoch seconds on the database's clock.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.notation import BoardSize

Json = dict[str, Any]
"""A JSON object: a payload, a result, or a job's parameters."""

MAX_ATTEMPTS: Final = 3
"""A unit is ``failed`` if it raises an error at this attempt or a later one."""

MAX_LOST_ATTEMPTS: Final = 10
"""A unit is ``failed`` if its worker is lost at this attempt.

It is more than MAX_ATTEMPTS, because the unit is not to blame if a machine is switched off. But a
unit that kills every worker must not go on for ever.
"""

INTERACTIVE_PRIORITY: Final = 100
"""Jobs of at least this priority are interactive, the others bulk; each class has its own queue."""


class JobState(StrEnum):
    """The state of a job."""

    PLANNING = "planning"
    """Units are still being added; none can be claimed."""
    RUNNING = "running"
    """Units can be claimed."""
    DONE = "done"
    """Every unit is done."""
    FAILED = "failed"
    """No unit is queued or leased, and at least one has failed."""
    CANCELLED = "cancelled"
    """Cancelled; can be resumed unless its planning was never finished."""


class UnitState(StrEnum):
    """The state of a unit."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """A planned unit."""

    payload: Json
    """The task of the unit; opaque to storage."""
    positions: int
    """Number of positions in the unit: the measure of progress."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on a unit until the lease runs out."""

    unit_id: int
    job_id: int
    kind: str
    """The job's kind, which determines how the payload is read."""
    seq: int
    """The unit's place in its job, from 0."""
    fence: int
    """Grows with every claim of the unit; only the claim with the newest fence can complete it."""
    attempts: int
    """Number of claims, this one included, that were not handed back."""
    payload: Json
    params: Json
    """The job's parameters."""
    board: BoardSize
    positions: int
    priority: int
    """The job's priority; see INTERACTIVE_PRIORITY."""


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The outcome of a unit, for writing a job's output in order."""

    seq: int
    state: UnitState
    payload: Json
    result: Json | None
    """Set when the unit is done."""
    error: str | None
    """The reason of the unit's last failure."""


@dataclass(frozen=True, slots=True)
class JobInfo:
    """All information about a job except its units' contents."""

    id: int
    kind: str
    board: BoardSize
    state: JobState
    label: str | None
    params: Json
    priority: int
    """Jobs of higher priority are worked on first."""
    engine_version: int
    """Only workers with an engine of this version get its units."""
    created_at: float
    started_at: float | None
    finished_at: float | None
    silent_seconds: float | None
    """Seconds since a process last planned the job or held one of its leases; None if never."""
    units: Mapping[UnitState, int]
    """Number of units in every state, 0 included."""
    positions: Mapping[UnitState, int]
    """Number of positions in the units of every state, 0 included."""
    nodes: int
    """Nodes searched for the units that are done."""
    seconds: float
    """Solving seconds of the units that are done, summed over workers."""
    positions_per_second: float | None = None
    """The rate of the last minute; None if no unit was completed in it, and in a list of jobs."""
    eta_seconds: float | None = None
    """Estimated seconds left, at the pace of the last minute; None until enough is done, and in a
    list of jobs."""
    errors: tuple[str, ...] = ()
    """Up to five different errors of the failed units. Empty in a list of jobs."""

    @property
    def positions_ended(self) -> int:
        """Number of positions in units that are done or have failed."""
        return self.positions[UnitState.DONE] + self.positions[UnitState.FAILED]


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """Totals over all jobs."""

    jobs: Mapping[JobState, int]
    """Number of jobs in every state, 0 included."""
    queued_units: int
    """Waiting units of running jobs, including units with an expired lease."""
    running_units: int
    """Units under a live lease."""
    failed_units: int
    queued_positions: int
    running_positions: int
    positions_per_second: float | None
    """The rate of the last minute; None if no unit was completed in it."""
    eta_seconds: float | None
    """Time until no unit is queued or running, as for a job; None while unknown."""
    oldest_queued_seconds: float | None
    """Time since the oldest job with waiting units was started; None without waiting units."""
    workers: int
    """Number of distinct owners of live leases: workers and other processes."""
    live_workers: tuple[WorkerInfo, ...]
    """Registered workers with a recent heartbeat, idle ones included."""


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker process. The counts begin with its start."""

    name: str
    host: str
    pid: int
    threads: int
    """Number of units that it works on at a time."""
    table_mb: int
    """Size of its transposition table in megabytes."""
    version: str
    """The program's version."""
    engine_version: int
    """The version of the engine: it gets only units of jobs for this version."""
    queues: tuple[str, ...]
    """The queues of its messages; also ``programs`` if it may start players that are programs."""
    units_done: int = 0
    positions_done: int = 0
    nodes: int = 0
    seconds: float = 0.0
    """Solving seconds, summed over its threads."""
    started_at: float = 0.0
    """Epoch seconds on the database's clock; ignored by :func:`db.jobs.watching.record_worker`."""
    seen_at: float = 0.0
    """The time of its last heartbeat, in the same form."""
