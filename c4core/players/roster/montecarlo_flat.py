"""``montecarlo-flat``: random games after every column."""

from typing import Annotated

from c4core.dice import Dice
from c4core.players.player import NO_LIMITS, Limits, Player, sides_of
from c4core.players.playouts import flat_scores
from c4core.players.registry import player
from c4core.players.values import Real, Whole
from c4core.position import Position
from c4core.windows import winning_columns


@player("montecarlo-flat", source="Huang, Lu 2025")
class MontecarloFlat(Player):
    """Wins or blocks if it can, else plays where most random games are won, mostly the middle."""

    simulations: Annotated[int, Whole(1, 10_000_000, is_shown=True), "games for each column"] = 500
    center_weight: Annotated[float, Real(0, 1000), "factor of the middle column's score"] = 2.0
    stop_gap: Annotated[
        float, Real(0, 1), "a column that is so much worse than the best one is given up"
    ] = 0.3
    stop_after: Annotated[
        int | None,
        Whole(0, 10_000_000),
        "games before a column may be given up; none for a quarter of all",
    ] = None

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play."""
        for side in sides_of(position):
            columns = winning_columns(position, side)
            if columns:
                return columns[0]
        scores = flat_scores(
            position,
            dice,
            simulations=self.simulations,
            center_weight=self.center_weight,
            stop_gap=self.stop_gap,
            stop_after=self.simulations // 4 if self.stop_after is None else self.stop_after,
            stop=limits.stop,
        )
        return max(position.legal_columns(), key=lambda column: scores[column] or 0.0)
