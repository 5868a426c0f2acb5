"""Playing a stored game again: the same players, the same seed, and so the same moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.players import (
    NO_PROGRAM,
    PlayerError,
    ProgramRefusedError,
    Resources,
    Stop,
    StopPlaying,
    program_of,
)
from c4core.solver import Solver
from db import games
from db.records.matches import Origin
from workers.matches.analyst import MatchAnalyst
from workers.matches.corpora import read_corpus
from workers.matches.errors import GameNotReplayableError
from workers.matches.table import Table

if TYPE_CHECKING:
    from c4core.arena.game import GameRecord
    from c4core.players import Consent
    from db.database import Database
    from db.records.games import StoredGame
    from db.records.matches import MatchTerms

TABLE_MB = 64


@dataclass(frozen=True, slots=True)
class Replay:
    """A stored game, and the same game played again."""

    game: StoredGame
    """The stored game."""
    record: GameRecord
    """The game as it was played now."""

    @property
    def is_same(self) -> bool:
        """Whether the same moves were played and it ended in the same way."""
        game, record = self.game, self.record
        return (game.moves, game.winner, game.ending, game.replaced) == (
            record.moves,
            record.winner,
            record.ending,
            record.replaced,
        )


def replay_game(
    database: Database,
    match_id: int,
    number: int,
    *,
    solver: Solver | None = None,
    programs: Consent = NO_PROGRAM,
    stop: Stop | None = None,
) -> Replay:
    """Play a game again on the terms of its match.

    It is the same game unless a player depends on the clock, or is a program with a will of its
    own.

    Args:
        database: where the match is; nothing is written.
        match_id: its number.
        number: the game's.
        solver: for players that want exact scores; None makes one if needed.
        programs: which players that are programs may be started. Those of imported games never are,
            because the author of the file has named them.
        stop: ends the game, also while a player thinks; None for never.

    Raises:
        MatchNotFoundError, GameNotFoundError: there is no such match or game.
        GameNotReplayableError: its seed is not known, or its players are not, or it was imported
            and a player is a program.
        ProgramRefusedError: a player is a program that may not be started.
        StorageError: the database cannot be read.
        StopPlaying: the stop came before the end of the game.
    """
    with database.read() as session:
        match = games.get_match(session, match_id)
        game = games.find_game(session, match_id, number)
    if game.seed is None or game.moves is None:
        missing = "seed" if game.seed is None else "moves"
        raise GameNotReplayableError(
            f"game {match_id}:{number} cannot be played again: its {missing} "
            f"{'is' if game.seed is None else 'are'} not known"
        )
    terms = match.terms
    if match.origin is Origin.IMPORTED and (program := _program_of(terms)):
        raise GameNotReplayableError(
            f"game {match_id}:{number} cannot be played again: it was imported, and what a file "
            f"names as a player is never started: {program}"
        )
    stop = stop or Stop()
    solver = solver or Solver(table_mb=TABLE_MB)
    analyst = MatchAnalyst(database, solver, lambda: stop.is_over)
    corpus = read_corpus(database, terms.board, terms.corpus) if terms.corpus else None
    try:
        with (
            stop.calling(solver.stop),
            Table(terms, Resources(analyst, corpus, programs), stop=stop) as table,
        ):
            return Replay(game, table.play_seeded(game.seed, game.a_side))
    except ProgramRefusedError:
        raise
    except PlayerError as error:
        raise GameNotReplayableError(
            f"game {match_id}:{number} cannot be played again: {error}"
        ) from None
    except StopPlaying as stopped:
        raise (stopped.error or stopped) from None


def _program_of(terms: MatchTerms) -> str | None:
    """A player of a match that is a program; None if neither is one."""
    return program_of(terms.player_a) or program_of(terms.player_b)
