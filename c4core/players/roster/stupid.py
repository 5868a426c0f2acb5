"""``stupid``: the leftmost column."""

from c4core.dice import Dice
from c4core.players.player import NO_LIMITS, Limits, Player
from c4core.players.registry import player
from c4core.position import Position


@player("stupid", source="Friedman, Bhamidipati 2016")
class Stupid(Player):
    """The leftmost column that is not full."""

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play."""
        return position.legal_columns()[0]
