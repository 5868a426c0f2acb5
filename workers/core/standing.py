"""How jobs stand, as people and programs are told, whatever shows it.

A job that should be worked on but is not has another name than its stored state: it is waiting,
queued, or interrupted (:mod:`workers.core.attendance`).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from db import jobs
from db.records.jobs import JobState
from workers.core.attendance import Unattended, unattended_jobs
from workers.wording import time_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from db.database import Session
    from db.records.jobs import JobInfo, JobProgress, ServiceStatus, WorkerInfo

STATES: Final = (
    "planning",
    "waiting",
    "queued",
    "running",
    "interrupted",
    "done",
    "failed",
    "cancelled",
)
"""All names of states, in the order of a job's life."""

UNDER_WAY: Final = (JobState.PLANNING, JobState.RUNNING)
"""Stored states of jobs that have other names while nobody is at work on them."""

MAX_UNDER_WAY: Final = 10_000
"""Jobs that are looked at for those with one of the other names."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A job, and the name of its state."""

    job: JobInfo
    state: str
    """One of :data:`STATES`."""


def standing_of(session: Session, job: JobInfo) -> Standing:
    """How one job stands."""
    return Standing(job, state_name(session, job.id, job.state))


def state_name(session: Session, job_id: int, stored: JobState) -> str:
    """The name of a job's state, one of :data:`STATES`.

    Args:
        session: any.
        job_id: the job's number.
        stored: its state, as it is stored.
    """
    if stored not in UNDER_WAY:
        return str(stored)
    return str(unattended_jobs(session).get(job_id, stored))


def list_standings(
    session: Session, *, states: Collection[str] = (), limit: int = 20, before: int | None = None
) -> list[Standing]:
    """The newest jobs, newest first.

    Args:
        session: any.
        states: only jobs in one of these, of :data:`STATES`; empty for all.
        limit: at most so many.
        before: only jobs with smaller numbers.
    """
    stored = [JobState(name) for name in states if name in set(JobState)]
    most = limit
    if not set(states) <= set(JobState) - set(UNDER_WAY):
        stored, most = [*stored, *UNDER_WAY], max(limit, MAX_UNDER_WAY)
    found = jobs.list_jobs(session, limit=most, states=stored or None, before=before)
    idle = unattended_jobs(session)
    standings = [Standing(job, str(idle.get(job.id, job.state))) for job in found]
    return [one for one in standings if not states or one.state in states][:limit]


def service_status(session: Session) -> tuple[ServiceStatus, dict[str, int]]:
    """All jobs together, and how many there are in each of :data:`STATES`.

    There is neither a rate nor a remaining time while nobody is at work.
    """
    totals = jobs.totals(session)
    idle = unattended_jobs(session)
    abandoned = jobs.abandoned_jobs(session)
    numbers = {str(state): number for state, number in totals.jobs.items()}
    numbers["planning"] -= len(abandoned)
    numbers["running"] -= len(idle) - len(abandoned)
    numbers |= {str(name): list(idle.values()).count(name) for name in Unattended}
    if not totals.workers:
        is_done = totals.eta_seconds == 0
        totals = replace(totals, positions_per_second=None, eta_seconds=0.0 if is_done else None)
    return totals, numbers


def job_object(standing: Standing) -> dict[str, Any]:
    """A job as a JSON object. Times are in UTC."""
    job = standing.job
    fields = asdict(job) | {"state": standing.state, "board": str(job.board)}
    for name in ("created_at", "started_at", "finished_at"):
        fields[name] = time_text(fields[name])
    for name in ("units", "positions"):
        fields[name] = by_name(getattr(job, name))
    return fields


def progress_object(progress: JobProgress, state: str) -> dict[str, Any]:
    """How far a job is, as a JSON object.

    Args:
        progress: as the database tells it.
        state: of :data:`STATES`. In one in which nobody is at work there is no pace.
    """
    if state in set(Unattended):
        progress = replace(progress, positions_per_second=None, eta_seconds=None)
    return asdict(progress) | {"state": state}


def status_object(totals: ServiceStatus, numbers: Mapping[str, int]) -> dict[str, Any]:
    """What :func:`service_status` gives, as a JSON object."""
    fields = asdict(totals)
    fields["jobs"] = dict(numbers)
    fields["live_workers"] = [worker_object(worker) for worker in totals.live_workers]
    return fields


def worker_object(worker: WorkerInfo) -> dict[str, Any]:
    """A worker as a JSON object. Times are in UTC; ``nodes_per_second`` is that of one thread."""
    fields = asdict(worker)
    fields["queues"] = list(worker.queues)
    fields["nodes_per_second"] = worker.nodes / worker.seconds if worker.seconds else None
    for name in ("started_at", "seen_at"):
        fields[name] = time_text(fields[name])
    return fields


def by_name(numbers: Mapping[Any, int]) -> dict[str, int]:
    """Numbers by state, with the states as text."""
    return {str(state): number for state, number in numbers.items()}
