"""The computer's players of a game, asked for one move at a time."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from c4core.arena.answers import checked_column
from c4core.arena.seeds import seat_seed
from c4core.dice import Dice
from c4core.players.errors import Failing, PlayerFailure, is_exhaustion
from c4core.players.player import GameStart, Limits
from c4core.players.stopping import Stop

if TYPE_CHECKING:
    from c4core.players.player import Player
    from c4core.position import Side
    from cli.play.game import Game
    from cli.play.supplies import Supplies

END_SECONDS: Final = 1.0
"""For a player to notice that its move is not wanted any more."""


class Opponents:
    """Makes the players of a game when they are first asked, and closes them at the end.

    Moves are asked for in one thread, and the end may be told in another.

    Args:
        supplies: what some players need.
    """

    def __init__(self, supplies: Supplies) -> None:
        self._supplies = supplies
        self._players: dict[Side, Player] = {}
        self._stop = Stop()
        self._in_use = threading.Lock()

    def choose(self, game: Game) -> int:
        """The column that the player to move chooses, which can be played.

        Raises:
            PlayerFailure: it cannot go on, or its answer is no such column.
            StopPlaying: the game has ended meanwhile.
            MemoryError, OSError, RuntimeError: this machine has run out of something, which is not
                the player's fault; it may be asked again.
        """
        stop = self._stop
        with self._in_use:
            stop.check()
            return self._chosen(game, stop)

    def _chosen(self, game: Game, stop: Stop) -> int:
        position = game.position
        try:
            player = self._player(game, position.turn, stop)
            answer = player.choose(position, Dice(game.move_seed), Limits(stop=stop))
        except PlayerFailure:
            raise
        except Exception as error:
            if is_exhaustion(error):
                raise
            raise PlayerFailure(Failing.ERROR, f"{type(error).__name__}: {error}") from error
        return checked_column(answer, position)

    def end(self, game: Game) -> None:
        """A game is over, or was given up: tell the players of one that has ended; close all.

        A move that is being thought about is wanted no more.
        """
        self._stop.set()
        if not self._in_use.acquire(timeout=END_SECONDS):
            return  # it is loading something; the process is about to end anyway
        try:
            self._close_players(game)
            self._stop = Stop()
        finally:
            self._in_use.release()

    def _close_players(self, game: Game) -> None:
        players, self._players = self._players, {}
        for side, player in players.items():
            # Whatever one raises, all of them are told, and all are closed.
            with contextlib.suppress(Exception):
                if game.is_over:
                    won = "win" if game.winner == side else "loss"
                    player.end("draw" if game.winner is None else won)
            with contextlib.suppress(Exception):
                player.close()

    def _player(self, game: Game, side: Side, stop: Stop) -> Player:
        player = self._players.get(side)
        if player is None:
            seat = game.seat(side)
            spec = seat.spec
            if spec is None:
                raise ValueError(f"a person plays {side}")
            supplies = self._supplies.of(spec, game.board)
            player = spec.make(replace(supplies, programs=seat.programs))
            self._players[side] = player  # to be closed, also when it cannot begin
            player.begin(GameStart(game.board, side, seat_seed(game.seed, side), stop))
        return player
