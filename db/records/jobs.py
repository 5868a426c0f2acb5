"""Jobs, their units and the workers, as callers see them.

A job is planned into units; a unit is some seconds of work that is claimed, solved and completed
as a whole. Times are epoch seconds on the database's clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from c4core.notation import BoardSize

Json = dict[str, Any]
"""A JSON object: a payload, a result, or a job's parameters."""

MAX_ATTEMPTS: Final = 3
"""How often a unit may end in an error before it is ``failed`` for good."""

MAX_LAPSES: Final = 10
"""How many leases of a unit may run out before it is ``failed`` for good.

It is more than MAX_ATTEMPTS, because a machine that was switched off is not the unit's fault. But a
unit that kills every worker must not go on for ever.
"""

LONGEST_LEASE: Final = 600.0
"""Seconds that a lease lasts at most, from the claim or a heartbeat.

A lease that ends later was given before the database's clock was set back. It counts as run out.
"""

INTERACTIVE_PRIORITY: Final = 100
"""Jobs of at least this priority are interactive, the others bulk; each class has its own queue."""


class JobState(StrEnum):
    """Where a job stands."""

    PLANNING = "planning"
    """Units are still being added; none can be claimed."""
    RUNNING = "running"
    """Units can be claimed."""
    DONE = "done"
    """Every unit is done."""
    FAILED = "failed"
    """No unit is left to do, and at least one has failed."""
    CANCELLED = "cancelled"
    """Stopped by its owner; can be resumed."""


class UnitState(StrEnum):
    """Where a unit stands."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class UnitPlan:
    """A unit as the planner makes it."""

    payload: Json
    """What to do; opaque to storage."""
    positions: int
    """Positions in it: the measure of progress."""
    expected_seconds: float = 0.0
    """Expected seconds of solving it, for the remaining time; 0.0 if not known."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on a unit until the lease runs out."""

    unit_id: int
    job_id: int
    kind: str
    """The job's kind, which says what the payload means."""
    seq: int
    """The unit's place in its job, from 0."""
    fence: int
    """Grows with every claim of the unit; only the claim with the newest fence can complete it."""
    attempts: int
    """How often the unit was tried, this claim included; tries that lapsed do not count."""
    payload: Json
    params: Json
    """The job's parameters."""
    board: BoardSize
    positions: int
    lease_seconds: float
    """How long the lease lasts from the claim or from a heartbeat."""
    owner: str
    """Who claimed it."""
    engine_version: int
    """The engine's version, of the job and of the claimer."""
    priority: int
    """The job's; see INTERACTIVE_PRIORITY."""
    lapses: int = 0
    """How often a lease of the unit has run out."""


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The outcome of a unit, for writing a job's output in order."""

    seq: int
    state: UnitState
    payload: Json
    result: Json | None
    """Set when done."""
    error: str | None
    """The reason of its last failure."""


@dataclass(frozen=True, slots=True)
class JobInfo:
    """Everything about a job but its units' contents."""

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
    units: Mapping[UnitState, int]
    """Units in every state, 0 included."""
    positions: Mapping[UnitState, int]
    """Positions in the units of every state, 0 included."""
    nodes: int
    """Nodes searched for the units that are done."""
    seconds: float
    """Solving seconds of the units that are done, summed over workers."""
    errors: tuple[str, ...] = field(default=())
    """At most five different errors of the failed units. Empty in a list of jobs."""


@dataclass(frozen=True, slots=True)
class JobProgress:
    """The progress of a job."""

    job_id: int
    state: JobState
    units: int
    units_done: int
    units_failed: int
    units_leased: int
    """Units with a lease that has not run out."""
    positions: int
    positions_done: int
    positions_failed: int
    nodes: int
    seconds: float
    """Solving seconds of the units that are done, summed over workers."""
    positions_per_second: float | None
    """From the units completed within the last minute; None when there are none."""
    eta_seconds: float | None
    """Time to the end at the pace of the last minute, measured in what the completed units were
    expected to take; None until enough is done, 0.0 at the end."""


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """All jobs together."""

    jobs: Mapping[JobState, int]
    """Jobs in every state, 0 included."""
    queued_units: int
    """Units of running jobs that wait, those whose lease has run out included."""
    running_units: int
    """Units under a live lease."""
    failed_units: int
    queued_positions: int
    running_positions: int
    positions_per_second: float | None
    """From the units completed within the last minute; None when there are none."""
    eta_seconds: float | None
    """Time until nothing is queued or running, as for a job; None while unknown."""
    oldest_queued_seconds: float | None
    """Age of the oldest job that has units waiting, since it was started; None without any."""
    workers: int
    """Different owners of live leases: workers and other processes that work now."""
    live_workers: tuple[WorkerInfo, ...]
    """Registered workers with a recent heartbeat, idle ones included."""


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker process. The counts begin with its start."""

    name: str
    """No other worker has this name."""
    host: str
    pid: int
    threads: int
    """Units that it works on at a time."""
    table_mb: int
    """Megabytes of its transposition table."""
    version: str
    """The program's version."""
    engine_version: int
    """It gets only units of jobs for this version."""
    queues: tuple[str, ...]
    """The queues that its messages come from, and the name of the consent to programs if it has
    it."""
    units_done: int = 0
    positions_done: int = 0
    nodes: int = 0
    seconds: float = 0.0
    """Solving seconds, summed over its threads."""
    note: str | None = None
    """Why it gets no work; None if it gets some, or if there is none."""
    started_at: float = 0.0
    """Epoch seconds on the database's clock; ignored by :func:`db.registry.beat`."""
    seen_at: float = 0.0
    """When its last heartbeat came, likewise."""
