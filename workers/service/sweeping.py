"""The sweeper: brings back lost units and lost messages.

Once a second, one of all workers sweeps: it queues units again whose lease ran out, fills the
windows of messages, and closes jobs whose last worker died before it could close them. While
nothing goes wrong, sweeping only fills the windows, for workers that came after the job was made.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION
from db import jobs
from db.registry import acquire_duty
from workers.broker.doorbell import top_up
from workers.core.lanes import Lane
from workers.logs import LOGGER
from workers.wording import count

if TYPE_CHECKING:
    from db.database import Database
    from workers.broker.doorbell import Doorbell

SWEEP_SECONDS: Final = 1.0
"""Time from one sweep to the next, and so the longest that lost work waits."""

MAX_TRIES: Final = 20
"""Attempts a second, of all workers together, to acquire the duty: enough for one of them to get it
in time, and no burden on the database, however many workers there are."""

SWEEP_DUTY: Final = f"sweep.e{ENGINE_VERSION}"
"""The duty's name. Workers of another version ring for other units, so they have a duty of their
own."""


def sweep(database: Database, doorbell: Doorbell) -> bool:
    """Sweep, unless another worker has just done so; returns whether this one did.

    Raises:
        StorageError, BrokerUnreachableError: the next sweep comes in a second.
    """
    if not database.run(lambda session: acquire_duty(session, SWEEP_DUTY, SWEEP_SECONDS)):
        return False
    if lapsed := database.run(jobs.requeue_lapsed):
        LOGGER.info("queued again: %s whose lease ran out", count(lapsed, "unit"))
    with database.read() as session:
        finished = jobs.jobs_to_finish(session)
    for job_id in finished:
        database.run(partial(jobs.finish_if_complete, job_id=job_id))
    for lane in Lane:
        top_up(database, doorbell, lane)
    return True


def pause_between_sweeps(peers: int) -> float:
    """How long a worker waits before it tries again to acquire the duty.

    Args:
        peers: the number of workers.
    """
    return max(SWEEP_SECONDS, peers / MAX_TRIES)
