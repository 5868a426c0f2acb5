"""``minimax-threats``: odd and even threats, killer moves, as deep as time allows."""

from typing import Annotated, Literal

from c4core.dice import Dice
from c4core.players.errors import PlayerError
from c4core.players.minimax import minimax
from c4core.players.player import NO_LIMITS, Limits, Player, columns_from_centre
from c4core.players.registry import player
from c4core.players.values import Whole
from c4core.position import Position

WIN = 10_000


@player("minimax-threats", source="Friedman, Bhamidipati 2016")
class MinimaxThreats(Player):
    """Alpha-beta, deeper and deeper, by lines in one colour and by odd and even threats."""

    time_ms: Annotated[int | None, Whole(1, 3_600_000), "milliseconds for a move"] = 500
    max_depth: Annotated[int | None, Whole(1, 64, is_shown=True), "plies looked ahead at most"] = (
        None
    )
    eval: Annotated[
        Literal["groups", "threats", "both", "islands"],
        "how positions are valued where the search ends",
    ] = "both"
    ordering: Annotated[
        Literal["both", "static", "killer", "none"],
        "which moves are tried first: those near the middle, the last best one of the ply",
    ] = "both"
    cache: Annotated[
        Literal["off", "exact", "mirror", "zobrist"],
        "cache of values: its key is the position, the position or its mirror image, or a hash",
    ] = "off"
    cache_size: Annotated[int, Whole(1, 100_000_000), "positions in the cache"] = 100_000

    def __post_init__(self) -> None:
        """Check the parameters."""
        super().__post_init__()
        if self.time_ms is None and self.max_depth is None:
            raise PlayerError(
                "player minimax-threats: time_ms and max_depth cannot both be none",
                player=self.kind.name,
                parameter="max_depth",
            )

    @property
    def is_timed(self) -> bool:
        """Whether its moves depend on the speed of the machine."""
        return self.time_ms is not None

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:  # noqa: ARG002
        """The 0-based column to play."""
        killer_moves = self.ordering in ("both", "killer")
        return minimax(
            position,
            heuristic=self.eval,
            depth=self.max_depth or position.board.cells,
            order=columns_from_centre(position.width)
            if self.ordering in ("both", "static")
            else range(position.width),
            win=WIN,
            killer_moves=killer_moves,
            deepens=True,
            keep_answer_if_lost=True,
            # With killers the answer is tried first at every depth, so that a win found stays.
            stop_when_decided=killer_moves,
            seconds=limits.at_most(None if self.time_ms is None else self.time_ms / 1000),
            cache=self.cache,
            cache_size=self.cache_size,
            stop=limits.stop,
        ).column
