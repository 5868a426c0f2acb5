"""The kind of job that is called ``analyze``."""

from __future__ import annotations

from typing import Final

from workers.core.kinds import JobKind
from workers.positions import analysis

ANALYZE: Final = JobKind(
    analysis.KIND,
    "position",
    analysis.solve_unit,
    analysis.unit_objects,
    has_table=True,
    count_unanswered=analysis.count_unanswered,
)
"""Lines of input in, their answers out in the same order."""
