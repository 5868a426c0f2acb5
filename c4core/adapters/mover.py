"""``Mover`` and ``AdapterError``, which the adapters share.

A mover is a player for callers that have positions but do not play a game of the arena.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

from c4core.arena.game import NO_CLOCK, checked_column
from c4core.dice import Dice
from c4core.errors import C4Error
from c4core.players import (
    Failing,
    GameStart,
    Limits,
    PlayerFailure,
    Resources,
    Stop,
    StopPlaying,
    parse_player,
    program_of,
)

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.position import Position, Side

SEEDS: Final = 1 << 63
GAME_SEEDS: Final = 1 << 31


class AdapterError(C4Error, ValueError):
    """A foreign observation, state or setting does not belong to a game that C4 plays.

    Attributes:
        field: the wrong part, as the other package names it.
    """

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class Mover:
    """Asks a player for moves, game after game.

    A position begins a new game if it is on another board than the previous position, is for the
    other side, or does not have more stones.

    Args:
        player: the player's description, or the name of a level.
        seed: the seed of all random choices in all games; None for a random seed.
        seconds: the time limit of a move; None for no limit.
        resources: the players' resources, and consent to start programs. By default, players that
            use exact scores share a solver with the shipped book, and no program may be started.
    """

    def __init__(
        self,
        player: str,
        *,
        seed: int | None = None,
        seconds: float | None = None,
        resources: Resources | None = None,
    ) -> None:
        given = resources or Resources()
        if program := program_of(player):
            given.programs.check(program)
        self._spec = parse_player(player)
        self._player = self._spec.make(given)
        self._seconds = seconds
        self._last: tuple[BoardSize, Side, int] | None = None
        self.restart(seed)

    def restart(self, seed: int | None = None) -> None:
        """Begin a new game with the next position. Without a seed, the new seed is random."""
        self._dice = Dice(secrets.randbelow(SEEDS) if seed is None else seed)
        self._last = None

    def choose(
        self, position: Position, *, seconds: float | None = None, stop: Stop | None = None
    ) -> int:
        """Return the player's move: a 0-based column that can be played."""
        if position.is_over:
            raise ValueError("the game is over")
        stop = stop or Stop()
        allowed = Limits(self._seconds).at_most(seconds)
        grace = NO_CLOCK.grace
        limits = Limits(allowed, grace, stop if allowed is None else stop.within(allowed + grace))
        try:
            self._begin(position, limits)
            column = self._player.choose(position, self._dice, limits)
        except StopPlaying as stopped:
            if stopped.error is not None:
                raise stopped.error from None
            if stop.is_over:
                raise
            message = f"{self._spec.text} has not found a move in {allowed:g} s"
            raise PlayerFailure(Failing.TIME, message) from None
        return checked_column(column, position)

    def close(self) -> None:
        """End the player's process, if it has one."""
        self._player.close()

    def _begin(self, position: Position, limits: Limits) -> None:
        """Prepare the player for a new game, if the position begins one."""
        board, side, ply = position.board, position.turn, position.ply
        if self._last is None or self._last[:2] != (board, side) or self._last[2] >= ply:
            self._player.check_board(board)
            seed = self._dice.below(GAME_SEEDS)
            self._player.begin(GameStart(board, side, seed, limits.stop))
        self._last = (board, side, ply)
