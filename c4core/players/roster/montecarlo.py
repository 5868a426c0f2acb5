"""Players that judge moves by random games or by stored games.

They are ``montecarlo-flat``, ``montecarlo-timed`` and ``mcts-uct``, and ``database-montecarlo``,
which looks positions up in stored games, such as :class:`FinalGrids`.
"""

import math
from collections.abc import Iterable
from dataclasses import field
from typing import Annotated, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from c4core.arrays import key_array, split_keys
from c4core.dice import Dice
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.players.errors import PlayerError
from c4core.players.heuristics import winning_columns
from c4core.players.parameters import Real, Resource, Whole
from c4core.players.player import NO_LIMITS, FinalGames, Limits, Player, sides_of
from c4core.players.playouts import (
    flat_scores,
    run_playouts,
    tally_columns,
    timed_choice,
    uct_statistics,
)
from c4core.players.registry import player
from c4core.players.stopping import Stop
from c4core.position import Position

MOST_ITERATIONS: Final = 1_000_000
"""Clients choose players, and a tree takes 56 bytes for each game, 50 % more on wide boards."""


@player("montecarlo-flat", source="Huang, Lu 2025")
class MontecarloFlat(Player):
    """Wins or blocks, else plays the column that wins most random games; prefers the middle."""

    simulations: Annotated[int, Whole(1, 10_000_000, is_shown=True), "games for each column"] = 500
    center_weight: Annotated[float, Real(0, 1000), "factor of the middle column's score"] = 2.0
    stop_gap: Annotated[
        float, Real(0, 1), "a column whose rate is this much below the best is given up"
    ] = 0.3
    stop_after: Annotated[
        int | None,
        Whole(0, 10_000_000),
        "games before a column may be given up; none for a quarter of all",
    ] = None

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        for side in sides_of(position):
            columns: tuple[int, ...] = winning_columns(position, side)
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
    """Plays random games after random moves; chooses the move with the most wins minus losses."""

    time_ms: Annotated[int | None, Whole(1, 3_600_000), "milliseconds for a move"] = 500
    playouts: Annotated[
        int | None,
        Whole(1, 1_000_000_000, is_shown=True),
        "maximum number of games for a move",
    ] = None

    is_random = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.time_ms is None and self.playouts is None:
            raise PlayerError(
                "player montecarlo-timed: set time_ms or playouts, or both",
                player=self.kind.name,
                parameter="playouts",
            )

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
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
    """Monte Carlo tree search (UCT) with random games; plays the move that was tried most."""

    iterations: Annotated[
        int,
        Whole(1, MOST_ITERATIONS, is_shown=True),
        "games for a move",
    ] = 1000
    exploration: Annotated[float, Real(0, 100), "how much rarely tried moves are favoured"] = (
        math.sqrt(2)
    )

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
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


class FinalGrids:
    """The final grids of many finished games on one board, in memory. A lookup scans all of them.

    Args:
        first: the first player's stones of every game, as words of the engine's layout. On a wide
            board, the low and the high half of each word, with the shape (games, 2).
        second: the second player's stones.
        winner: 1 if the first player won, -1 if the second player won, 0 for a draw.
        board: the board's size.
    """

    def __init__(
        self,
        first: NDArray[np.uint64],
        second: NDArray[np.uint64],
        winner: NDArray[np.int8],
        *,
        board: BoardSize = DEFAULT_BOARD,
    ) -> None:
        if not len(first) == len(second) == len(winner):
            raise ValueError(
                f"{len(first)} and {len(second)} words of stones, {len(winner)} winners: "
                "every game has one of each"
            )
        self.board = board
        self._first = np.ascontiguousarray(first, dtype=np.uint64)
        self._second = np.ascontiguousarray(second, dtype=np.uint64)
        self._winner = np.ascontiguousarray(winner, dtype=np.int8)

    @classmethod
    def from_positions(cls, positions: Iterable[Position]) -> Self:
        """Make the grids of finished games from their final positions."""
        finals = list(positions)
        board = finals[0].board if finals else DEFAULT_BOARD
        for position in finals:
            if position.board != board or not position.is_over:
                raise ValueError(f"{position!r} is not a finished game on a {board} board")
        keys = key_array((position.key for position in finals), board)
        values = {"x": 1, "o": -1, None: 0}
        winners = np.array([values[position.winner] for position in finals], dtype=np.int8)
        return cls.from_keys(keys, winners, board=board)

    @classmethod
    def from_keys(
        cls,
        keys: NDArray[Any],
        winner: NDArray[np.int8],
        *,
        board: BoardSize = DEFAULT_BOARD,
    ) -> Self:
        """Make the grids of finished games from the keys of their final positions.

        Args:
            keys: ``Position.key`` of every game's final position. On a wide board, Python numbers
                (dtype object), or two columns of uint64: their low and high halves.
            winner: 1, -1, or 0 for a draw.
            board: the board's size.
        """
        if keys.dtype == np.uint64 and keys.ndim == 1 and not board.is_narrow:
            keys = np.stack([keys, np.zeros_like(keys)], axis=1)  # no game has a high half
        to_move, taken = split_keys(keys, board)
        other = taken ^ to_move
        stones = np.bitwise_count(taken)
        if stones.ndim > 1:  # the halves of wide words
            stones = stones.sum(axis=1)
        is_first = (stones % 2 == 0).reshape(-1, *[1] * (taken.ndim - 1))
        first = np.where(is_first, to_move, other)
        second = np.where(is_first, other, to_move)
        return cls(first, second, winner, board=board)

    def __len__(self) -> int:
        return len(self._winner)

    def words(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.int8]]:
        """Return the first player's stones, the second player's stones, and the winners."""
        return self._first, self._second, self._winner

    def tally(self, position: Position) -> tuple[tuple[int, int, int] | None, ...]:
        """Count, for each column, the games whose final grid has all stones after that move.

        Args:
            position: a position that is not over.

        Returns:
            For every column ``(games, wins of the side to move, draws)``; None for a full column.
        """
        if position.board != self.board:
            raise ValueError(f"the games are on a {self.board} board, not {position.board}")
        return tally_columns(position, self._first, self._second, self._winner)


@player("database-montecarlo", source="Brewer 2017, as future work")
class DatabaseMontecarlo(Player):
    """Plays the column with the best results in stored games that could have come from it.

    A column with too few stored games is judged by random games instead.
    """

    min_games: Annotated[
        int, Whole(1, 1_000_000_000), "minimum number of stored games for a column"
    ] = 10
    playouts: Annotated[
        int,
        Whole(1, 10_000_000),
        "random games for a column with fewer stored ones",
    ] = 500
    final_games: Annotated[FinalGames | None, Resource()] = field(
        default=None, compare=False, repr=False
    )

    is_random = True

    def choose(self, position: Position, dice: Dice, limits: Limits = NO_LIMITS) -> int:
        shares = self.win_shares(position, dice, limits.stop)
        return max(position.legal_columns(), key=lambda column: shares[column] or 0.0)

    def win_shares(
        self, position: Position, dice: Dice, stop: Stop | None = None
    ) -> tuple[float | None, ...]:
        """Return, for every column, the share of games that the side to move won; None if full."""
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
        # After this column the opponent moves, so the opponent's losses are wins.
        _, losses, _ = run_playouts(position.play(column), dice, self.playouts, stop=stop)
        return losses / self.playouts
