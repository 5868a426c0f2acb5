"""``random``, ``stupid``, ``set``: players that look at most one turn ahead."""

from typing import Annotated, Literal

from c4core.dice import Dice
from c4core.players.player import NO_LIMITS, Limits, Player
from c4core.players.playouts import line_choice
from c4core.players.registry import player
from c4core.position import Position


@player("random", source="Brewer 2017; Friedman, Bhamidipati 2016; Huang, Lu 2025")
class Random(Player):
    """Any column that is not full, each equally likely."""

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        return dice.pick(position.legal_columns())


@player("stupid", source="Friedman, Bhamidipati 2016")
class Stupid(Player):
    """The leftmost column that is not full."""

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        return position.legal_columns()[0]


@player("set", source="Brewer 2017")
class Set(Player):
    """Completes a line, else blocks one, else plays at random; sees no further.

    The choice is among lines, so a column that completes two lines is twice as likely.
    """

    fallback: Annotated[
        Literal["vector", "column"],
        "random choice if no line can be completed or blocked: a line (vector) or a column",
    ] = "vector"

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        return line_choice(position, dice, by_lines=self.fallback == "vector")
