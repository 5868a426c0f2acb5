"""``mcts-uct``: Monte Carlo tree search."""

import math
from typing import Annotated

from c4core.dice import Dice
from c4core.players.player import NO_LIMITS, Limits, Player
from c4core.players.registry import player
from c4core.players.uct import uct_statistics
from c4core.players.values import Real, Whole
from c4core.position import Position


@player("mcts-uct", source="Qiu, Wang, Xu 2022")
class MctsUct(Player):
    """Grows a tree of the moves that do best in random games; plays the one tried most."""

    iterations: Annotated[int, Whole(1, 5_000_000, is_shown=True), "games for a move"] = 1000
    exploration: Annotated[
        float, Real(0, 100), "how much moves that were rarely tried are favoured"
    ] = math.sqrt(2)

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play."""
        statistics = uct_statistics(
            position,
            dice,
            iterations=self.iterations,
            exploration=self.exploration,
            stop=limits.stop,
        )

        def merit(column: int) -> tuple[int, float]:
            visits, wins = statistics[column] or (0, 0.0)
            return visits, wins / visits if visits else 0.0

        return max(position.legal_columns(), key=merit)
