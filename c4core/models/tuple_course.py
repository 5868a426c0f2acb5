"""Training of n-tuple networks on exact labels. It needs no PyTorch.

The rule is in :mod:`c4core.models.tuples`: the sums of the positions after all columns learn the
columns' values, and together which columns are best. Quiet and decisive positions weigh more than
others. Mirror images share the tables, so no position is mirrored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import numpy as np

from c4core.dice import Dice
from c4core.models.evaluator import words_of_planes
from c4core.models.kinds import LearningError, ModelError
from c4core.models.labels import course_settings
from c4core.models.loop import Course, Figures
from c4core.models.quality import quality_of_engine, weights_of
from c4core.models.tuples import TupleEngine, random_tuples, table_shape

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.models.files import Model
    from c4core.models.labels import Positions
    from c4core.models.loop import Arrays, Tell

_PART: Final = 4096
"""Positions between two reports of progress."""


class TupleCourse(Course):
    """Trains an n-tuple network.

    Args:
        positions: the positions for the training.
        held_out: the positions for the test after every epoch.
        tuples: the number of tuples.
        length: the number of squares of each.
        rate: the share of an error by which a sum changes at the beginning.
        decay: the factor of the rate after every epoch.
        quiet_weight: how much a quiet position weighs; others weigh 1.
        decisive_weight: the same for decisive ones; one that is both has both weights multiplied.
        seed: the seed of the tuples and of the order of positions.

    Raises:
        LearningError: the two sets have different boards, or the sizes are impossible.
    """

    kind: ClassVar[str] = "tuples"

    def __init__(
        self,
        positions: Positions,
        held_out: Positions,
        *,
        tuples: int = 60,
        length: int = 7,
        rate: float = 0.5,
        decay: float = 0.8,
        quiet_weight: float = 2.0,
        decisive_weight: float = 2.0,
        seed: int = 0,
    ) -> None:
        settings = course_settings(
            positions,
            held_out,
            {
                "seed": seed,
                "rate": rate,
                "decay": decay,
                "quiet_weight": quiet_weight,
                "decisive_weight": decisive_weight,
            },
        )
        super().__init__(positions.board, {"tuples": tuples, "length": length}, settings)
        width, height = positions.board
        try:
            self._squares = random_tuples(
                Dice(seed), tuples=tuples, length=length, width=width, height=height
            )
        except ValueError as error:
            raise LearningError(str(error)) from None
        self._tables = np.zeros(table_shape(tuples, length), dtype=np.float32)
        self._own, self._mask = words_of_planes(positions.planes)
        self._best, self._scores = positions.best, positions.column_scores
        self._weights = weights_of(positions, quiet=quiet_weight, decisive=decisive_weight)
        self._held_out = held_out

    def engine(self) -> TupleEngine:
        """An engine with the tables that are trained."""
        width, height = self.board
        return TupleEngine(width=width, height=height, squares=self._squares, tables=self._tables)

    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train on every position once, then test on the held-out ones."""
        rate = self.settings["rate"] * self.settings["decay"] ** (number - 1)
        order = np.random.default_rng(self.seed_of(number)).permutation(len(self._own))
        engine, sums = self.engine(), np.zeros(2)
        parts = range(0, len(order), _PART)
        for done, first in enumerate(parts):
            tell(done, len(parts))
            rows = order[first : first + _PART]
            losses = engine.learn(
                self._own[rows],
                self._mask[rows],
                self._best[rows],
                self._scores[rows],
                self._weights[rows],
                rate=rate,
            )
            sums += np.array(losses) * len(rows)
        policy, value = (sums / len(order)).tolist()
        return {
            "policy_loss": policy,
            "value_loss": value,
            **quality_of_engine(engine, self._held_out).figures,
        }

    def weights(self) -> Arrays:
        """The tuples' squares and their tables."""
        return {"squares": self._squares.copy(), "tables": self._tables.copy()}

    def restore(self, model: Model, path: Path) -> None:
        """Take over a model's tables.

        Raises:
            ModelError: the model has other tuples, or its tables do not fit them.
        """
        squares, tables = model.weights.get("squares"), model.weights.get("tables")
        if squares is None or not np.array_equal(squares, self._squares):
            raise ModelError(f"{path} cannot be resumed: it has other tuples", path=str(path))
        if tables is None or tables.shape != self._tables.shape or tables.dtype != np.float32:
            raise ModelError(f"{path} cannot be resumed: its tables do not fit", path=str(path))
        self._tables[...] = tables
