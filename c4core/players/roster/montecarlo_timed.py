"""``montecarlo-timed``: random games until the time is up, by their total."""

from typing import Annotated

from c4core.dice import Dice
from c4core.players.errors import PlayerError
from c4core.players.player import NO_LIMITS, Limits, Player
from c4core.players.playouts import timed_choice
from c4core.players.registry import player
from c4core.players.values import Whole
from c4core.position import Position


@player("montecarlo-timed", source="Friedman, Bhamidipati 2016")
class MontecarloTimed(Player):
    """Random games after random moves; plays the move with the most wins less losses."""

    time_ms: Annotated[int | None, Whole(1, 3_600_000), "milliseconds for a move"] = 500
    playouts: Annotated[
        int | None, Whole(1, 1_000_000_000, is_shown=True), "games for a move at most"
    ] = None

    is_random = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.time_ms is None and self.playouts is None:
            raise PlayerError(
                "player montecarlo-timed: time_ms and playouts cannot both be none",
                player=self.kind.name,
                parameter="playouts",
            )

    @property
    def is_timed(self) -> bool:
        """Whether its moves depend on the speed of the machine."""
        return self.time_ms is not None

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play."""
        seconds = limits.at_most(None if self.time_ms is None else self.time_ms / 1000)
        column, _ = timed_choice(
            position,
            dice,
            playouts=-1 if self.playouts is None else self.playouts,
            seconds=-1.0 if seconds is None else seconds,
            stop=limits.stop,
        )
        return column
