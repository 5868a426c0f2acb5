"""``perfect``: plays by exact scores, or makes errors at a given rate."""

import functools
import math
import time
from collections.abc import Sequence
from dataclasses import field
from typing import Annotated, Literal

from c4core.dice import Dice
from c4core.players.errors import PlayerError
from c4core.players.parameters import Real, Resource
from c4core.players.player import NO_LIMITS, Analyst, Limits, Player, columns_from_centre
from c4core.players.registry import player
from c4core.players.stopping import Stop
from c4core.position import Position
from c4core.solver import Solver

TABLE_MB = 64


@functools.cache
def shared_solver() -> Solver:
    """The solver that all perfect players of the process share if they were given none."""
    return Solver(table_mb=TABLE_MB)


@player("perfect", source="this project's solver")
class Perfect(Player):
    """Wins as soon and loses as late as possible, unless it is told to err."""

    choice: Annotated[
        Literal["random", "center"], "which of several best columns: any, or one near the middle"
    ] = "random"
    blunder: Annotated[
        float, Real(0, 1), "how often it plays a column that is not best, any of them"
    ] = 0.0
    temperature: Annotated[
        float,
        Real(0, 1000),
        "how readily it plays worse columns: a score lower by this is e times less likely",
    ] = 0.0
    analyst: Annotated[Analyst | None, Resource()] = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.blunder and self.temperature:
            raise PlayerError(
                "player perfect: either blunder or temperature is 0",
                player=self.kind.name,
                parameter="temperature",
            )

    @property
    def is_random(self) -> bool:
        """Whether its moves depend on the dice."""
        return self.choice == "random" or self.blunder > 0 or self.temperature > 0

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play."""
        scores = self._scores(position, limits)
        # A search that ran out of time knows the scores of fewer columns, or of none.
        known = {column: score for column, score in enumerate(scores) if score is not None}
        if not known:
            known = dict.fromkeys(position.legal_columns(), 0)
        if self.temperature:
            return self._warm_choice(known, dice)
        best = max(known.values())
        worse = [column for column, score in known.items() if score < best]
        if self.blunder and dice.unit() < self.blunder and worse:
            return dice.pick(worse)
        return self._among([column for column in known if known[column] == best], position, dice)

    def _scores(self, position: Position, limits: Limits) -> Sequence[int | None]:
        """The scores of all columns, or of those that are known at the time limit.

        Raises:
            StopPlaying: the stop was set before the end of the search.
        """
        if self.analyst is not None and not isinstance(self.analyst, Solver):
            return self.analyst.analyze(position, time_limit=limits.seconds).scores
        solver, stop = self.analyst or shared_solver(), limits.stop or Stop()
        deadline = math.inf if limits.seconds is None else time.monotonic() + limits.seconds
        left = limits.seconds
        with stop.calling(solver.stop):
            while True:
                stop.check()
                found = solver.analyze(position, time_limit=left)
                is_complete = all(
                    found.scores[column] is not None for column in position.legal_columns()
                )
                if is_complete or time.monotonic() >= deadline:
                    return found.scores
                # The search was stopped, perhaps by another game that shares the solver. The
                # deadline may have passed since it was checked.
                left = None if limits.seconds is None else max(deadline - time.monotonic(), 0.0)

    def _among(self, columns: list[int], position: Position, dice: Dice) -> int:
        """Choose one of several equal columns."""
        if self.choice == "random":
            return dice.pick(columns)
        return next(column for column in columns_from_centre(position.width) if column in columns)

    def _warm_choice(self, scores: dict[int, int], dice: Dice) -> int:
        """Choose a column at random; a higher score makes it more likely."""
        best = max(scores.values())
        weights = [math.exp((score - best) / self.temperature) for score in scores.values()]
        mark = dice.unit() * sum(weights)
        for column, weight in zip(scores, weights, strict=True):
            mark -= weight
            if mark < 0:
                return column
        return next(iter(scores))  # the sum of the weights was rounded
