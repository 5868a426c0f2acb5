"""The kind of job that is called ``prove``."""

from __future__ import annotations

from typing import Final

from workers.certificates import units
from workers.certificates.planning import go_on
from workers.certificates.task import KIND
from workers.core.kinds import JobKind

PROVE: Final = JobKind(KIND, "part", units.solve_unit, units.unit_objects, go_on)
"""The proof of a position's score, part by part."""
