"""What is asked about a position, and when a stored evaluation answers it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.evaluation import Evaluation

if TYPE_CHECKING:
    from db.evaluations import StoredEvaluation


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked about each position of a batch.

    Raises:
        ValueError: the values of the columns are exact or not at all: ``columns`` with ``weak``.
    """

    columns: bool = True
    """The score of every column is wanted, not only the position's own."""
    weak: bool = False
    """Win, draw or loss will do for a score."""
    time_limit: float | None = None
    """Seconds that one position may take; None lets it take what it needs."""
    node_limit: int | None = None
    """Positions that may be searched for one position; None as above."""

    def __post_init__(self) -> None:
        """Refuse what cannot be answered."""
        if self.columns and self.weak:
            raise ValueError("weak scores are given for positions, not for their columns")

    @property
    def is_limited(self) -> bool:
        """Whether an answer may stay open because a limit was reached."""
        return self.time_limit is not None or self.node_limit is not None

    def is_answered_by(self, known: StoredEvaluation) -> bool:
        """Whether a stored evaluation leaves nothing to search."""
        if self.columns and known.scores is None:
            return False
        if self.weak:
            return Evaluation(known.lower, known.upper).value is not None
        return known.lower == known.upper
