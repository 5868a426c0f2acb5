"""What to call a job that runs by its state, and that nobody is at work on."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from db import jobs, registry
from db.jobs import running_jobs
from workers.core.lanes import lane_of_job

if TYPE_CHECKING:
    from db.session import Session


class Unattended(StrEnum):
    """Why nothing happens to a job that is planned or runs."""

    WAITING = "waiting"
    """Nobody has begun with it yet."""
    INTERRUPTED = "interrupted"
    """Whoever was at work on it, or was planning it, is gone."""


def unattended_jobs(session: Session) -> dict[int, Unattended]:
    """The jobs that nobody is at work on, though they have not ended.

    It follows from what is heard of those who work, on the database's clock: so it is true ten
    seconds after the process that worked on a job was killed, half a minute after the last worker
    that serves a broker was, and at once after one that was told to stop.
    """
    workers = registry.live_workers(session)
    served = {(queue, worker.engine_version) for worker in workers for queue in worker.queues}
    attended = jobs.attended_jobs(session)
    begun = jobs.begun_jobs(session)
    return {
        job.id: Unattended.INTERRUPTED if job.id in begun else Unattended.WAITING
        for job in running_jobs.running_jobs(session)
        if job.id not in attended
        and (lane_of_job(job.priority).queue, job.engine_version) not in served
    } | dict.fromkeys(jobs.abandoned_jobs(session), Unattended.INTERRUPTED)
