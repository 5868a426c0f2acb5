"""The kind of job that is called ``match``."""

from __future__ import annotations

from typing import Final

from workers.core.kinds import JobKind
from workers.matches import units

MATCH: Final = JobKind(
    units.KIND, "game", units.solve_unit, units.unit_objects, takes_programs=True
)
"""Games between players."""
