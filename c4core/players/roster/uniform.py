"""``random``: any column."""

from c4core.dice import Dice
from c4core.players.player import NO_LIMITS, Limits, Player
from c4core.players.registry import player
from c4core.position import Position


@player("random", source="Brewer 2017; Friedman, Bhamidipati 2016; Huang, Lu 2025")
class Random(Player):
    """Any column that is not full, each equally likely."""

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play."""
        return dice.pick(position.legal_columns())
