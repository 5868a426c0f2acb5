"""``greedy``: the best position after one move."""

from typing import Final

from c4core.dice import Dice
from c4core.players.minimax import minimax
from c4core.players.player import NO_LIMITS, Limits, Player, columns_from_centre
from c4core.players.registry import player
from c4core.position import Position

WIN: Final = 1_000_000


@player("greedy", source="Qiu, Wang, Xu 2022")
class Greedy(Player):
    """The best position one move ahead, near the middle; looks at no answer."""

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play."""
        found = minimax(
            position,
            heuristic="windows",
            depth=1,
            order=columns_from_centre(position.width),
            win=WIN,
            all_scores=True,
        )
        middle = position.width - 1
        best = min(
            abs(2 * column - middle)
            for column, score in enumerate(found.scores or ())
            if score == found.value
        )
        return dice.pick(
            [
                column
                for column, score in enumerate(found.scores or ())
                if score == found.value and abs(2 * column - middle) == best
            ]
        )
