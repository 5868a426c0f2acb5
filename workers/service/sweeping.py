"""The sweeper: brings back what was lost, whoever lost it.

Every worker sweeps about once a second, and one of them all each time: leases that ran out are
queued again, the windows of messages are filled, jobs whose last worker died before it could say
so are closed. Nothing here is needed while nothing goes wrong, but to fill the windows when a job
begins to run faster than its submitter has rung for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION
from db import jobs
from db.duties import take_turn
from db.jobs import running_jobs
from workers.broker.doorbell import top_up
from workers.core.lanes import Lane
from workers.logs import LOGGER
from workers.wording import count

if TYPE_CHECKING:
    from db.database import Database
    from workers.broker.doorbell import Doorbell

SWEEP_SECONDS: Final = 1.0
"""Time from one sweep to the next: what was lost waits for so long at most."""

MAX_TRIES: Final = 20
"""How many workers a second, together, look whether it is their turn: enough for one to take it in
time, and no burden on the database however many there are."""

TURN: Final = f"sweep.e{ENGINE_VERSION}"
"""Workers of another version ring for other units."""


def sweep(database: Database, doorbell: Doorbell) -> bool:
    """Sweep, if nobody else has; whether it was our turn.

    Raises:
        StorageError, BrokerUnreachableError: the next turn is somebody's in a second.
    """
    if not database.run(lambda session: take_turn(session, TURN, SWEEP_SECONDS)):
        return False
    if lapsed := database.run(jobs.requeue_lapsed):
        LOGGER.info("queued again: %s whose lease ran out", count(lapsed, "unit"))
    with database.read() as session:
        finished = running_jobs.jobs_to_finish(session)
    for job_id in finished:
        _finish(database, job_id)
    for lane in Lane:
        top_up(database, doorbell, lane)
    return True


def pause_between_sweeps(peers: int) -> float:
    """How long a worker waits before it looks again whether it is its turn.

    Args:
        peers: how many workers there are.
    """
    return max(SWEEP_SECONDS, peers / MAX_TRIES)


def _finish(database: Database, job_id: int) -> None:
    database.run(lambda session: jobs.finish_if_complete(session, job_id))
