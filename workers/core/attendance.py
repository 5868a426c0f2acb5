"""Jobs that are open, but that nobody works on."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from db import jobs, registry
from workers.core.lanes import lane_of_job

if TYPE_CHECKING:
    from db.database import Session


class Unattended(StrEnum):
    """Why nobody works on a job that is being planned or runs."""

    WAITING = "waiting"
    """No unit was ever claimed, and no worker takes such jobs."""
    QUEUED = "queued"
    """No unit was ever claimed: the workers are at work on other jobs."""
    INTERRUPTED = "interrupted"
    """The process that worked on it, or planned it, is gone."""


def unattended_jobs(session: Session) -> dict[int, Unattended]:
    """The jobs that have not ended, but that nobody works on.

    This follows from heartbeats on the database's clock. It shows ten seconds after the process
    that worked on a job was killed, half a minute after the last worker of its queue was killed,
    and at once after a process was told to stop.
    """
    workers = registry.live_workers(session)
    served = {(queue, worker.engine_version) for worker in workers for queue in worker.queues}
    attended = jobs.attended_jobs(session)
    begun = jobs.begun_jobs(session)
    found = dict.fromkeys(jobs.abandoned_jobs(session), Unattended.INTERRUPTED)
    for job in jobs.running_jobs(session):
        if job.id in attended:
            continue
        is_served = (lane_of_job(job.priority).queue, job.engine_version) in served
        if job.id not in begun:
            found[job.id] = Unattended.QUEUED if is_served else Unattended.WAITING
        elif not is_served:
            found[job.id] = Unattended.INTERRUPTED
    return found
