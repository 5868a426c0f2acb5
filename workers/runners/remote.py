"""Follow a job that workers elsewhere work on: the counterpart of :mod:`workers.runners.local`.

The job is in the database, and the workers themselves send the messages about its further units.
They go on when the follower leaves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from db import jobs
from db.records.jobs import JobState
from workers.celery.doorbell import top_up
from workers.core.follow import JobFollower, read_job
from workers.core.kinds import lane_of_job
from workers.errors import BrokerUnreachableError
from workers.match.terms import has_consent

if TYPE_CHECKING:
    from collections.abc import Callable

    from db.database import Database
    from workers.celery.doorbell import Doorbell


class RemoteRunner(JobFollower):
    """Lets workers elsewhere work on a job, and yields its results meanwhile.

    Args:
        database: the database of the job.
        job_id: a job that is running, or has ended.
        doorbell: sends messages to the workers, through their broker.
        on_trouble: called if the broker accepts no messages.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: the job is for another version of the engine, or of another kind.
    """

    def __init__(
        self,
        database: Database,
        job_id: int,
        doorbell: Doorbell,
        *,
        on_trouble: Callable[[BrokerUnreachableError], object] = lambda _trouble: None,
    ) -> None:
        super().__init__(database, job_id)
        self._doorbell = doorbell
        self._on_trouble = on_trouble

    def has_workers(self) -> bool:
        """Whether there is a worker that takes such jobs."""
        return has_workers(self._database, self._job.priority)

    def has_consent(self) -> bool:
        """Whether there is a worker that may start the job's programs, if it needs any."""
        return has_consent(self._database, self._job)

    def __enter__(self) -> Self:
        """Ring for the first units."""
        if self._job.state is JobState.RUNNING:
            trouble = _ring(self._database, self._doorbell, self._job.priority)
            if trouble is not None:
                self._on_trouble(trouble)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the job to the workers."""


def call_workers(
    database: Database, doorbell: Doorbell, job_id: int
) -> BrokerUnreachableError | None:
    """Ring for units of a job, after the commit that has created or freed them.

    Returns:
        The error if the broker accepts no messages now. The workers find the units anyway.

    Raises:
        JobNotFoundError: no job has this number.
    """
    return _ring(database, doorbell, read_job(database, job_id).priority)


def has_workers(database: Database, priority: int) -> bool:
    """Whether there is a worker that takes jobs of this priority."""
    queue = lane_of_job(priority).queue
    with database.read() as session:
        workers = jobs.live_workers(session)
    return any(queue in worker.queues for worker in workers)


def _ring(database: Database, doorbell: Doorbell, priority: int) -> BrokerUnreachableError | None:
    try:
        top_up(database, doorbell, lane_of_job(priority))
    except BrokerUnreachableError as error:
        return error
    return None
