"""What the processes that work on a job tell each other: bounds of positions, packed as bytes.

Nobody depends on them. A search that lacks them takes longer, and finds the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, insert, or_, select

from db.jobs.ending import lock_job
from db.models import SharedBounds
from db.records.jobs import JobState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session


PARCELS: Final = 16
"""Parcels that are read at a time, so that a reader that comes late needs little memory."""


class Parcel(NamedTuple):
    """Bounds that one process has shared at one time."""

    sender: int
    """The process, by a number that it has chosen at random."""
    number: int
    """Which of its parcels this is: later ones have higher numbers."""
    bounds: bytes
    """As the sender has packed them."""


def send_parcel(session: Session, job_id: int, parcel: Parcel) -> bool:
    """Share bounds with the others that work on a job.

    Args:
        session: in a write transaction.
        job_id: the job.
        parcel: the sender's next one.

    Returns:
        False, with nothing written: the job does not run any more.

    Raises:
        JobNotFoundError: there is no such job.
    """
    if lock_job(session, job_id) is not JobState.RUNNING:
        return False
    session.connection().execute(insert(SharedBounds).values(job_id=job_id, **parcel._asdict()))
    return True


def new_parcels(session: Session, job_id: int, known: Mapping[int, int]) -> list[Parcel]:
    """What others have shared since the last time: PARCELS at most, the rest the next time.

    Args:
        session: any.
        job_id: the job.
        known: the next number of every sender that is known, the caller's own included.

    Raises:
        DamagedValueError: a parcel is not what was sent.
    """
    is_new = or_(
        SharedBounds.sender.not_in(known),
        *(
            and_(SharedBounds.sender == sender, SharedBounds.number >= number)
            for sender, number in known.items()
        ),
    )
    query = (
        select(SharedBounds.sender, SharedBounds.number, SharedBounds.bounds)
        .where(SharedBounds.job_id == job_id, is_new)
        .order_by(SharedBounds.sender, SharedBounds.number)
        .limit(PARCELS)
    )
    return [Parcel(*row) for row in session.execute(query)]
