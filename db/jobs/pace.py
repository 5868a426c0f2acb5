"""How fast units are completed, and what that says about the time that is left.

Units differ: a hundred may be done in a second, and the next take a minute. So the remaining time
is not counted in units or positions but in what they were expected to take when they were planned.
Expectations may be wrong by any factor; the pace is measured in the same measure, so that the
factor cancels out.
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
"""With fewer units done, the pace is left to chance."""


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

    Where the work that was completed began later than that, it is measured over the time that it
    had: a job that was just started or resumed is not slow.
    """
    time = now(session)
    # Units that are done have finished_at, and no others. Nor is the job a reason to look into
    # another index than that of finished_at (+ 0): both led to reading all that is done.
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
        left: what is still to be done.
        pace: of completions like it.
        units_done: units that are done in all.

    Returns:
        None: not enough is done to tell, or nothing was completed lately.
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
