"""Questions about positions, and their answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from c4core.evaluation import Bounded, Evaluation, best_columns

if TYPE_CHECKING:
    from c4core.position import Position
    from db.records.evaluations import StoredEvaluation
    from db.records.jobs import Json


@dataclass(frozen=True, slots=True)
class Question:
    """The question about each position of a batch.

    Raises:
        ValueError: both ``columns`` and ``weak`` are set; columns have no weak scores.
    """

    columns: bool = True
    """Whether the score of every column is needed, not only the position's own."""
    weak: bool = False
    """Whether win, draw or loss is enough."""
    time_limit: float | None = None
    """Seconds for one position, over all attempts; None for no limit. A unit that is handed back
    keeps the time spent. If the process was killed or the unit cancelled, the limit starts
    again."""
    node_limit: int | None = None
    """Maximum number of nodes searched for one position; None for no limit."""

    def __post_init__(self) -> None:
        """Reject an impossible combination."""
        if self.columns and self.weak:
            raise ValueError("weak scores are given for positions, not for their columns")

    @property
    def is_limited(self) -> bool:
        """Whether an answer may stay open because a limit was reached."""
        return self.time_limit is not None or self.node_limit is not None

    def left_after(self, nodes: int, seconds: float) -> tuple[float | None, int | None]:
        """The rest of the time limit and of the node limit after this effort."""
        time_limit, node_limit = self.time_limit, self.node_limit
        return (
            None if time_limit is None else max(0.0, time_limit - seconds),
            None if node_limit is None else max(0, node_limit - nodes),
        )

    def is_answered_by(self, known: StoredEvaluation) -> bool:
        """Whether a stored evaluation answers the question without a search."""
        if self.columns and known.scores is None:
            return False
        if self.weak:
            return Evaluation(known.lower, known.upper).value is not None
        return known.lower == known.upper

    def as_params(self) -> Json:
        """The job parameters for this question, without unused options."""
        limits = {"time_limit": self.time_limit, "node_limit": self.node_limit}
        return {
            "score_only": not self.columns,
            **({"weak": True} if self.weak else {}),
            **{name: limit for name, limit in limits.items() if limit is not None},
        }

    @classmethod
    def from_params(cls, params: Json) -> Question:
        """Read the question from a job's parameters."""
        return cls(
            columns=not params["score_only"],
            weak=params.get("weak", False),
            time_limit=params.get("time_limit"),
            node_limit=params.get("node_limit"),
        )


EVERYTHING: Final = Question()
"""Asks for the exact scores of a position and of all its columns."""

Source = Literal["search", "db", "book"]


class _AnswerFields(NamedTuple):
    """The fields of :class:`Answer`, separate because a NamedTuple cannot inherit."""

    lower: int
    """Proven lower bound of the score."""
    upper: int
    """Proven upper bound of the score."""
    scores: tuple[int | None, ...] | None = None
    """One score per column, None if it cannot be played or is unsolved; None if not requested."""
    nodes: int = 0
    """Positions searched for this answer."""
    seconds: float = 0.0
    source: Source = "search"


class Answer(_AnswerFields, Bounded):
    """The answer about one position: for its side to move and in its given orientation."""

    __slots__ = ()

    @property
    def best(self) -> tuple[int, ...]:
        """The 0-based columns that reach the score; empty if the scores are unknown."""
        return best_columns(self.score, self.scores)

    def tightened(self, lower: int, upper: int) -> Answer:
        """Narrow this answer by other proven bounds."""
        return self._replace(lower=max(self.lower, lower), upper=min(self.upper, upper))


def has_all_columns(answer: Answer, position: Position) -> bool:
    """Whether the answer has the score of every playable column."""
    scores = answer.scores
    if scores is None:
        return False
    unknown = scores.count(None)
    return not unknown or len(scores) - unknown == len(position.legal_columns())


def settles(answer: Answer, position: Position, question: Question) -> bool:
    """Whether the answer is exact enough for the question, and has the columns that it asks for."""
    if answer.lower != answer.upper:
        return question.weak and answer.value is not None
    return not question.columns or has_all_columns(answer, position)


class Effort(NamedTuple):
    """The effort spent on a position."""

    nodes: int = 0
    seconds: float = 0.0
