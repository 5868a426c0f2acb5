"""``montecarlo-flat``, ``montecarlo-timed``, ``mcts-uct``: moves judged by random games."""

import math
from typing import Annotated

from c4core.dice import Dice
from c4core.players.costs import Cost
from c4core.players.errors import PlayerError
from c4core.players.heuristics import winning_columns
from c4core.players.parameters import Real, Whole
from c4core.players.player import NO_LIMITS, Limits, Player, sides_of
from c4core.players.playouts import flat_scores, timed_choice, uct_statistics
from c4core.players.registry import player
from c4core.position import Position


@player("montecarlo-flat", source="Huang, Lu 2025")
class MontecarloFlat(Player):
    """Wins or blocks if it can, else plays where most random games are won, mostly the middle."""

    simulations: Annotated[
        int, Whole(1, 10_000_000, is_shown=True), Cost(seconds=2e-6), "games for each column"
    ] = 500
    center_weight: Annotated[float, Real(0, 1000), "factor of the middle column's score"] = 2.0
    stop_gap: Annotated[
        float, Real(0, 1), "a column that is so much worse than the best one is given up"
    ] = 0.3
    stop_after: Annotated[
        int | None,
        Whole(0, 10_000_000),
        "games before a column may be given up; none for a quarter of all",
    ] = None

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play."""
        for side in sides_of(position):
            columns = winning_columns(position, side)
            if columns:
                return columns[0]
        scores = flat_scores(
            position,
            dice,
            simulations=self.simulations,
            center_weight=self.center_weight,
            stop_gap=self.stop_gap,
            stop_after=self.simulations // 4 if self.stop_after is None else self.stop_after,
            stop=limits.stop,
        )
        return max(position.legal_columns(), key=lambda column: scores[column] or 0.0)


@player("montecarlo-timed", source="Friedman, Bhamidipati 2016")
class MontecarloTimed(Player):
    """Random games after random moves; plays the move with the most wins less losses."""

    time_ms: Annotated[
        int | None, Whole(1, 3_600_000), Cost(seconds=0.001), "milliseconds for a move"
    ] = 500
    playouts: Annotated[
        int | None,
        Whole(1, 1_000_000_000, is_shown=True),
        Cost(seconds=2.5e-7),
        "games for a move at most",
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


@player("mcts-uct", source="Qiu, Wang, Xu 2022")
class MctsUct(Player):
    """Grows a tree of the moves that do best in random games; plays the one tried most."""

    iterations: Annotated[
        int,
        Whole(1, 5_000_000, is_shown=True),
        Cost(bytes=56, seconds=5e-6),
        "games for a move",
    ] = 1000
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
