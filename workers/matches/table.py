"""The table of a match: both players, their resources, and the next game."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from c4core.arena.game import game_seed, play_game
from c4core.players import check_consent, parse_player
from db.records.games import StoredGame
from db.records.matches import Seats

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.arena.game import GameRecord
    from c4core.players import Resources, Stop
    from c4core.position import Side
    from db.records.matches import MatchTerms


def side_of_a(terms: MatchTerms, number: int) -> Side:
    """The side that player a has in a game, which follows from the terms and the number alone."""
    match terms.seats:
        case Seats.FIXED:
            return "x"
        case Seats.ALTERNATE:
            return "o" if number % 2 else "x"
        case Seats.RANDOM:
            return "o" if game_seed(terms.seed, number) % 2 else "x"


class Table:
    """Plays games of a match within a ``with`` block, which ends the players' processes.

    Args:
        terms: of the match.
        resources: for the players.
        before_move: called before every move; its errors end the game and are passed on.
        stop: ends games without a result, also while a player thinks; None for never.

    Raises:
        PlayerError: this version of the program does not know a player.
        ProgramRefusedError: a player is a program that may not be started, or costs too much. A
            program was not even looked for on this machine.
    """

    def __init__(
        self,
        terms: MatchTerms,
        resources: Resources,
        before_move: Callable[[], object] = lambda: None,
        stop: Stop | None = None,
    ) -> None:
        self._terms = terms
        self._stop = stop
        self._before_move = before_move
        # There are two players even if both are the same: a program plays one side of a game.
        for player in (terms.player_a, terms.player_b):
            check_consent(player, resources.programs)
        self._a = parse_player(terms.player_a).make(resources)
        self._b = parse_player(terms.player_b).make(resources)
        self._players = ExitStack()

    def __enter__(self) -> Self:
        """Begin. A program is started only when its first game begins."""
        self._players.enter_context(self._a)
        self._players.enter_context(self._b)
        return self

    def __exit__(self, *_: object) -> None:
        """End the players' processes; after a stop, do not wait for them."""
        if self._stop is not None and self._stop.is_over:
            self._a.abandon()
            self._b.abandon()
        self._players.close()

    def play(self, number: int) -> StoredGame:
        """Play a game of the match. The same number gives the same game.

        Args:
            number: the game's, from 0.

        Raises:
            StopPlaying: the stop came before the end of the game.
            Exception: a player of this project has a bug, or this machine has run out of something.
        """
        seed = game_seed(self._terms.seed, number)
        a_side = side_of_a(self._terms, number)
        return stored(self.play_seeded(seed, a_side), number, a_side)

    def play_seeded(self, seed: int, a_side: Side) -> GameRecord:
        """Play a game on the match's terms.

        Args:
            seed: of the game.
            a_side: which side player a has.

        Raises:
            StopPlaying, Exception: as :meth:`play`.
        """
        first, second = (self._a, self._b) if a_side == "x" else (self._b, self._a)
        return play_game(
            first,
            second,
            seed=seed,
            time_control=self._terms.time_control,
            start=self._terms.start,
            lenient=self._terms.lenient,
            before_move=self._before_move,
            stop=self._stop,
            raises_faults=True,
        )


def stored(record: GameRecord, number: int, a_side: Side) -> StoredGame:
    """A game in its stored form.

    Args:
        record: of the game.
        number: its place in the match.
        a_side: the side that player a had.
    """
    return StoredGame(
        number=number,
        a_side=a_side,
        seed=record.seed,
        moves=record.moves,
        final_key=record.final().key,
        length=record.length,
        winner=record.winner,
        ending=record.ending.value,
        detail=record.detail,
        x_seconds=record.seconds_of("x"),
        o_seconds=record.seconds_of("o"),
        replaced=record.replaced,
    )
