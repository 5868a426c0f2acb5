"""The kind of job that is called ``analyze``."""

from __future__ import annotations

from typing import Final

from workers.core.kinds import JobKind
from workers.positions import units
from workers.positions.analysis import KIND

ANALYZE: Final = JobKind(
    KIND,
    "position",
    units.solve_unit,
    units.unit_objects,
    has_table=True,
    count_unanswered=units.count_unanswered,
)
"""Lines of input in, their answers out in the same order."""
