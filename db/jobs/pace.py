"""The pace of completed units, and the remaining time that follows from it.

Units differ: a hundred may be done in a second, and the next one take a minute. So the remaining
work is not counted in units or positions, but in the seconds that were expected when the units were
planned. These may be wrong by any factor; the pace is measured in the same seconds, so the factor
cancels out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy import func, select

from db.clock import now
from db.models import Unit

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_PACE_SECONDS: Final = 60.0
"""The pace is that of the units that were completed within this time."""

_LEAST_UNITS: Final = 3
"""With fewer units done, the pace is too much a matter of chance."""


@dataclass(frozen=True, slots=True)
class Load:
    """Work that is still to be done."""

    positions: int = 0
    expected_seconds: float = 0.0
    """What it was expected to take; 0.0 where nobody knew."""

    def __add__(self, other: Load) -> Load:
        """Both together."""
        return Load(
            self.positions + other.positions, self.expected_seconds + other.expected_seconds
        )


class Pace(NamedTuple):
    """Work that was completed per second of wall time, by all workers together."""

    units: int
    """How many units the rates were measured from."""
    positions_per_second: float | None
    """None where nothing was completed lately."""
    expected_per_second: float | None
    """Expected seconds; None likewise."""


def read_pace(session: Session, job_id: int | None = None) -> Pace:
    """The pace within the last minute, of one job or of all.

    If the completed work began later than that, the pace is measured from its beginning: a job that
    was just started or resumed is not slow.
    """
    time = now(session)
    # Only done units have finished_at, so their state is not asked for. "+ 0" keeps the planner
    # from an index over the job: with either condition it read all units that are done.
    query = select(
        func.count(),
        func.sum(Unit.positions),
        func.sum(Unit.expected_seconds),
        time - func.min(Unit.finished_at - Unit.seconds),
    ).where(Unit.finished_at >= time - _PACE_SECONDS)
    if job_id is not None:
        query = query.where(Unit.job_id + 0 == job_id)
    units, positions, expected, elapsed = session.execute(query).one()
    if elapsed is None or elapsed <= 0:
        return Pace(units, None, None)
    seconds = min(_PACE_SECONDS, elapsed)
    return Pace(units, float(positions) / seconds, expected / seconds)


def remaining_seconds(left: Load, pace: Pace, units_done: int) -> float | None:
    """The time that is left at a pace.

    Args:
        left: the work that is still to be done.
        pace: of similar work.
        units_done: units that are done in all.

    Returns:
        None if too little is done to tell, or if nothing was completed lately.
    """
    if left.positions == 0:
        return 0.0
    if units_done < _LEAST_UNITS:
        return None
    if left.expected_seconds > 0:
        return (
            left.expected_seconds / pace.expected_per_second if pace.expected_per_second else None
        )
    return left.positions / pace.positions_per_second if pace.positions_per_second else None
