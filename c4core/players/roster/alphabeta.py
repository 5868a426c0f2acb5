"""``alphabeta`` and ``pvs``: the same search with full and with null windows."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from c4core.dice import Dice
from c4core.players.minimax import Found, minimax
from c4core.players.player import NO_LIMITS, Limits, Player, columns_from_centre
from c4core.players.registry import player
from c4core.players.stopping import Stop
from c4core.players.values import Whole
from c4core.position import Position

SOURCE = "Qiu, Wang, Xu 2022"

WIN = 1_000_000


@dataclass(frozen=True, kw_only=True)
class _Windowed(Player):
    """The common base of both players."""

    depth: Annotated[int, Whole(1, 20, is_shown=True), "plies looked ahead"] = 4

    pvs: ClassVar[bool]

    def search(self, position: Position, stop: Stop | None = None) -> Found:
        """The best column, its value, and the effort."""
        return minimax(
            position,
            heuristic="windows",
            depth=self.depth,
            order=columns_from_centre(position.width),
            win=WIN,
            pvs=self.pvs,
            wins_at_once=True,
            stop=stop,
        )

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play."""
        return self.search(position, limits.stop).column


@player("alphabeta", source=SOURCE)
class AlphaBeta(_Windowed):
    """Alpha-beta by lines with two or three stones, middle columns first."""

    pvs = False


@player("pvs", source=SOURCE)
class Pvs(_Windowed):
    """As alphabeta, but after the first move it only asks whether another is better."""

    pvs = True
