"""Bounds of positions that the processes of a deep job share, packed as bytes.

They are optional: a search without them takes longer and finds the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import and_, insert, or_, select

from db.jobs.state import lock_job
from db.models import SharedBounds
from db.records.jobs import JobState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.orm import Session

PARCELS: Final = 16
"""Maximum number of parcels read at a time: it limits the memory of a process that joins late."""


class BoundsPackage(NamedTuple):
    """A parcel: bounds that one process has sent together."""

    sender: int
    """A random number that identifies the sending process."""
    number: int
    """The parcel's place among the sender's parcels: later ones have higher numbers."""
    bounds: bytes
    """The bounds as the sender has packed them."""


def share_bounds(session: Session, job_id: int, parcel: BoundsPackage) -> bool:
    """Share the sender's next bounds; return False if the job does not run any more.

    Raises:
        JobNotFoundError: no job has this number.
    """
    if lock_job(session, job_id) is not JobState.RUNNING:
        return False
    session.connection().execute(insert(SharedBounds).values(job_id=job_id, **parcel._asdict()))
    return True


def new_parcels(session: Session, job_id: int, known: Mapping[int, int]) -> list[BoundsPackage]:
    """Return parcels of other processes: at most PARCELS; call again for the rest.

    ``known`` maps each known sender, the caller included, to the number of its next parcel.

    Raises:
        DamagedValueError: a parcel cannot be unpacked.
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
    return [BoundsPackage(*row) for row in session.execute(query)]
