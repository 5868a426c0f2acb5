"""``minimax-runs``: runs that can still become four, as deep as time allows."""

from typing import Annotated, Literal

from c4core.dice import Dice
from c4core.players.minimax import minimax
from c4core.players.player import NO_LIMITS, Limits, Player, columns_from_centre
from c4core.players.registry import player
from c4core.players.values import Whole
from c4core.position import Position

WIN = 1_000_000


@player("minimax-runs", source="Ivison 2019")
class MinimaxRuns(Player):
    """Alpha-beta, deeper and deeper, by the length of runs that can still become four."""

    time_ms: Annotated[int | None, Whole(1, 3_600_000), "milliseconds for a move"] = 950
    max_depth: Annotated[int, Whole(1, 64, is_shown=True), "plies looked ahead at most"] = 20
    alpha_beta: Annotated[bool, "whether branches are cut off; the values are the same"] = True
    order: Annotated[
        Literal["center", "left"], "which columns are tried first, and preferred among equals"
    ] = "center"
    one_sided: Annotated[
        bool, "whether runs are looked at in one direction only, as the original program does"
    ] = False

    @property
    def is_timed(self) -> bool:
        """Whether its moves depend on the speed of the machine."""
        return self.time_ms is not None

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play."""
        width = position.width
        return minimax(
            position,
            heuristic="runs-forward" if self.one_sided else "runs",
            depth=self.max_depth,
            order=columns_from_centre(width) if self.order == "center" else range(width),
            win=WIN,
            prunes=self.alpha_beta,
            deepens=True,
            seconds=limits.at_most(None if self.time_ms is None else self.time_ms / 1000),
            stop=limits.stop,
        ).column
