"""What solving a unit has come to, before it is written anywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.evaluations import StoredEvaluation
    from db.jobs import Json


@dataclass(frozen=True, slots=True)
class UnitOutcome:
    """What is to be written about a unit."""

    evaluations: Sequence[StoredEvaluation]
    """What was learned, of one board."""
    result: Json
    """What the job's output is made of; of no use while the outcome is not complete."""
    nodes: int
    """Positions searched."""
    seconds: float
    """Time spent searching."""
    is_complete: bool
    """Whether the unit is done; false when it was stopped."""
