"""The time of a game, measured by its players' moves in earlier games, or now in some games.

Players differ by five orders of magnitude and more, from microseconds to minutes, and only playing
shows it. A wrong measure loses no result: the games of a stopped unit are kept.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from c4core.players import ANY_PROGRAM, Resources, Stop, StopPlaying, parse_player
from db import games
from workers.matches.table import Table
from workers.matches.terms import asks_the_solver

if TYPE_CHECKING:
    from db.database import Database
    from db.records.matches import MatchTerms

ENOUGH_MOVES: Final = 100.0
"""So many earlier moves are enough to predict the time of the next one."""

PROBE_SECONDS: Final = 0.1
"""Time for trying a player out; a move that has begun is finished, up to the next limit."""

MAX_PROBE_SECONDS: Final = 2.0
"""Time for the move that has begun; slower players all count as this slow."""

PROBE_GAMES: Final = 50
"""Games of a trial at most."""

SOLVER_SECONDS: Final = 0.03
"""A guess for a move of a player that asks the solver. A trial would mislead: its first games
search positions that later games find in the database."""

EXTERNAL_SECONDS: Final = 0.05
"""A guess for a move of a program, which may not even be installed on this machine."""

TYPICAL_SHARE: Final = 0.7
"""The share of the board that a game fills."""


class Paces:
    """The time that players take for a move; each has one trial at most.

    Args:
        database: has earlier games.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seconds: dict[str, float] = {}

    def seconds_per_game(self, terms: MatchTerms) -> float:
        """The expected seconds of one game of a match.

        Args:
            terms: of the match, complete; all on one board.

        Raises:
            StorageError: the database cannot be read.
        """
        moves = TYPICAL_SHARE * (terms.board.cells - terms.start.ply)
        pace_a, pace_b = (self._pace(terms, player) for player in (terms.player_a, terms.player_b))
        return moves * (pace_a + pace_b) / 2

    def _pace(self, terms: MatchTerms, player: str) -> float:
        if player not in self._seconds:
            self._seconds[player] = self._measured(terms, player)
        return self._seconds[player]

    def _measured(self, terms: MatchTerms, player: str) -> float:
        with self._database.read() as session:
            moves, seconds = games.read_pace(session, terms.board, player)
        if moves >= ENOUGH_MOVES:
            return seconds / moves
        spec = parse_player(player)
        if spec.kind.cls.is_program:
            return EXTERNAL_SECONDS
        if asks_the_solver(spec):
            return SOLVER_SECONDS
        return probe(replace(terms, player_a=player, player_b=player))


def probe(terms: MatchTerms) -> float:
    """The time of a move in the first games, or the first moves; they are not stored."""
    moves = 0

    def count() -> None:
        nonlocal moves
        if moves and time.perf_counter() - began > PROBE_SECONDS:
            raise StopPlaying
        moves += 1

    stop = Stop().within(MAX_PROBE_SECONDS)
    # Whoever plans the match has named its players. Programs are not tried out.
    table = Table(terms, Resources(programs=ANY_PROGRAM), before_move=count, stop=stop)
    began = time.perf_counter()  # now the players' code is loaded
    with table, suppress(StopPlaying):
        for number in range(PROBE_GAMES):
            table.play(number)
    # A player that fails when its games begin has moved nowhere.
    return (time.perf_counter() - began) / max(moves, 1)
