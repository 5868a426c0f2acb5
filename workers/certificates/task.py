"""What a job of kind ``prove`` is about: bounds of one position's score.

The parameters say all that the certificate depends on. So the same command finds the job that it
has made before, and goes on with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.position import Position
from c4core.proof.format import EVERY_RULE, LARGEST_SCORE
from c4core.proof.making import bounds_of, claimed
from db.decoding import decoding, field, number_field

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.proof.making import Bound
    from db.records.jobs import Json

KIND: Final = "prove"

FORM: Final = 1
"""The form of payloads and results. It is one of the parameters, so that a job of another form is
not found."""

MAX_TABLE_MB: Final = 1 << 14
"""Megabytes of a unit's table at most, whoever has made the job: every thread has a table."""


@dataclass(frozen=True, slots=True)
class ProofTask:
    """A claim, and what its proof depends on."""

    start: Position
    """The position of the claim: canonical, and its game goes on."""
    at_least: int | None = None
    """The least that the side to move scores. Without any bound it is the exact score."""
    at_most: int | None = None
    """The most that it scores."""
    rules: int = EVERY_RULE
    """The rules that may end a branch, as a set of bits."""
    table_mb: int = 64
    """Megabytes of the table of positions that were searched."""

    @property
    def board(self) -> BoardSize:
        """The board of all positions."""
        return self.start.board

    @property
    def is_exact(self) -> bool:
        """Whether the score has to be found first."""
        return self.at_least is None and self.at_most is None

    def bounds(self, score: int | None = None) -> list[Bound]:
        """What has to be proven, the lower bound first.

        Args:
            score: the exact score, where that is asked for.
        """
        least, most = (score, score) if self.is_exact else (self.at_least, self.at_most)
        return bounds_of(self.start, at_least=least, at_most=most, rules=self.rules)

    def as_params(self) -> Json:
        """The parameters of the job; always in the same order."""
        named = {"at_least": self.at_least, "at_most": self.at_most}
        return {
            "form": FORM,
            "start": self.start.canonical_key,
            **{name: bound for name, bound in named.items() if bound is not None},
            "rules": self.rules,
            "table_mb": self.table_mb,
        }

    @classmethod
    def from_params(cls, params: Json, board: BoardSize) -> ProofTask:
        """The task of a job with these parameters.

        Raises:
            DamagedValueError: no job was made with them.
        """
        with decoding(f"the parameters of a job of kind {KIND}"):
            key = number_field(params, "start", below=1 << 64)
            least, most = (
                read_score(params, name) if name in params else None
                for name in ("at_least", "at_most")
            )
            table_mb = number_field(params, "table_mb", below=MAX_TABLE_MB + 1)
            return cls(
                claimed(Position.from_key(key, width=board.width, height=board.height)),
                least,
                most,
                number_field(params, "rules", below=EVERY_RULE + 1),
                max(1, table_mb),
            )


def read_score(fields: Json, name: str) -> int:
    """A field of a JSON object that is a score.

    Raises:
        ValueError: no score is so far from 0.
    """
    score = field(fields, name, int)
    if abs(score) > LARGEST_SCORE:
        raise ValueError(f"{name} is {score}, which is no score")
    return score
