"""``database-montecarlo``: looks up the games that were played before."""

from dataclasses import field
from typing import Annotated

from c4core.dice import Dice
from c4core.players.parameters import Resource
from c4core.players.player import NO_LIMITS, Limits, Player
from c4core.players.playouts import run_playouts
from c4core.players.registry import player
from c4core.players.resources import FinalGames
from c4core.players.stopping import Stop
from c4core.players.values import Whole
from c4core.position import Position


@player("database-montecarlo", source="Brewer 2017, as future work")
class DatabaseMontecarlo(Player):
    """Plays where most of the stored games that could have come from there were won.

    Where there are too few of them, random games take their place.
    """

    min_games: Annotated[
        int, Whole(1, 1_000_000_000), "stored games that a column needs at least"
    ] = 10
    playouts: Annotated[
        int, Whole(1, 10_000_000), "random games for a column with fewer stored ones"
    ] = 500
    final_games: Annotated[FinalGames | None, Resource()] = field(
        default=None, compare=False, repr=False
    )

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        """The 0-based column to play."""
        shares = self.win_shares(position, dice, limits.stop)
        return max(position.legal_columns(), key=lambda column: shares[column] or 0.0)

    def win_shares(
        self, position: Position, dice: Dice, stop: Stop | None = None
    ) -> tuple[float | None, ...]:
        """The share of games won by the side to move, for every column; None where it is full."""
        tallies = (
            (None,) * position.width
            if self.final_games is None
            else self.final_games.tally(position)
        )
        return tuple(
            self._share(position, column, tally, dice, stop) if position.is_legal(column) else None
            for column, tally in enumerate(tallies)
        )

    def _share(
        self,
        position: Position,
        column: int,
        tally: tuple[int, int, int] | None,
        dice: Dice,
        stop: Stop | None,
    ) -> float:
        if tally is not None and tally[0] >= self.min_games:
            games, wins, _ = tally
            return wins / games
        # The side to move after the column is the opponent: what it loses is won.
        _, losses, _ = run_playouts(position.play(column), dice, self.playouts, stop=stop)
        return losses / self.playouts
