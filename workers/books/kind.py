"""The kind of job that is called ``book``."""

from __future__ import annotations

from typing import Final

from workers.books import units
from workers.books.task import KIND
from workers.core.kinds import JobKind

BOOK: Final = JobKind(KIND, "position", units.solve_unit, units.unit_objects)
"""The scores of positions of one ply."""
