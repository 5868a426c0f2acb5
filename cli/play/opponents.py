"""The computer's players of a game, asked for one move at a time."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from c4core.arena.answers import checked_column
from c4core.arena.seeds import seat_seed
from c4core.players.base import GameStart
from c4core.players.dice import Dice
from c4core.players.errors import Failing, PlayerFailure

if TYPE_CHECKING:
    from c4core.players.base import Player
    from c4core.position import Side
    from cli.play.game import Game
    from cli.play.supplies import Supplies


class Opponents:
    """Makes the players of a game when they are first asked, and closes them at the end.

    Args:
        supplies: what some players need.
    """

    def __init__(self, supplies: Supplies) -> None:
        self._supplies = supplies
        self._players: dict[Side, Player] = {}

    def choose(self, game: Game) -> int:
        """The column that the player to move chooses, which can be played.

        Raises:
            PlayerFailure: it cannot go on, or its answer is no such column.
        """
        position = game.position
        try:
            player = self._player(game, position.turn)
            answer = player.choose(position, Dice(game.move_seed))
        except PlayerFailure:
            raise
        except Exception as error:
            raise PlayerFailure(Failing.ERROR, f"{type(error).__name__}: {error}") from error
        return checked_column(answer, position)

    def end(self, game: Game) -> None:
        """A game is over, or was given up: tell the players of one that has ended; close all."""
        players, self._players = self._players, {}
        for side, player in players.items():
            # Whatever one raises, all of them are told, and all are closed.
            with contextlib.suppress(Exception):
                if game.is_over:
                    won = "win" if game.winner == side else "loss"
                    player.end("draw" if game.winner is None else won)
            with contextlib.suppress(Exception):
                player.close()

    def _player(self, game: Game, side: Side) -> Player:
        player = self._players.get(side)
        if player is None:
            spec = game.seat(side).spec
            if spec is None:
                raise ValueError(f"a person plays {side}")
            player = spec.make(self._supplies.of(spec, game.board))
            self._players[side] = player  # to be closed, also when it cannot begin
            player.begin(GameStart(game.board, side, seat_seed(game.seed, side)))
        return player
