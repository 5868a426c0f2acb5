"""The kind of job that is called ``deep``."""

from __future__ import annotations

from typing import Final

from workers.core.kinds import JobKind
from workers.deep import units
from workers.deep.planning import go_on
from workers.deep.task import KIND

DEEP: Final = JobKind(KIND, "piece", units.solve_unit, units.unit_objects, go_on)
"""The value of one position, proven piece by piece."""
