"""``minimax-windows``: lines with two or three stones, a few plies ahead."""

from typing import Annotated

from c4core.dice import Dice
from c4core.players.minimax import minimax
from c4core.players.player import NO_LIMITS, Limits, Player, columns_from_centre
from c4core.players.registry import player
from c4core.players.values import Whole
from c4core.position import Position

WIN = 1_000_000


@player("minimax-windows", source="Huang, Lu 2025")
class MinimaxWindows(Player):
    """Alpha-beta by lines with two or three stones; ties are broken at random."""

    depth: Annotated[int, Whole(1, 20, is_shown=True), "plies looked ahead"] = 3
    randomize_order: Annotated[
        bool, "whether columns are tried in random order, or else from left to right"
    ] = True

    @property
    def is_random(self) -> bool:
        """Whether its moves depend on the dice."""
        return self.randomize_order

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play."""
        columns = range(position.width)
        return minimax(
            position,
            heuristic="windows",
            depth=self.depth,
            # Below the root the order changes no value, so the one that cuts off most is taken.
            order=columns_from_centre(position.width),
            root_order=dice.shuffled(columns) if self.randomize_order else columns,
            win=WIN,
            wins_at_once=True,
            stop=limits.stop,
        ).column
