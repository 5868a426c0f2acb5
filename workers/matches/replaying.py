"""Playing a stored game again: the same players, the same seed, and so the same moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.players import PlayerError, Resources
from c4core.solver import Solver
from db import games
from workers.matches.analyst import MatchAnalyst, StopPlaying
from workers.matches.corpora import read_corpus
from workers.matches.errors import GameNotReplayableError
from workers.matches.table import Table

if TYPE_CHECKING:
    from c4core.arena.game import GameRecord
    from db.database import Database
    from db.games import StoredGame
    from workers.rationing import Searcher

TABLE_MB = 64


@dataclass(frozen=True, slots=True)
class Replay:
    """A game beside what is stored of it."""

    game: StoredGame
    """As it is stored."""
    record: GameRecord
    """As it was played now."""

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
    database: Database, match_id: int, number: int, *, solver: Searcher | None = None
) -> Replay:
    """Play a game again on the terms of its match.

    It is the same game unless a player goes by the clock or is a program that does as it likes.

    Args:
        database: where the match is; nothing is written.
        match_id: its number.
        number: the game's.
        solver: for players that want exact scores; one is made if need be.

    Raises:
        MatchNotFoundError, GameNotFoundError: there is no such match or game.
        GameNotReplayableError: its seed is not known, or its players are not.
        StorageError: the database cannot be read.
    """
    with database.read() as session:
        terms = games.get_terms(session, match_id)
        game = games.find_game(session, match_id, number)
    if game.seed is None or game.moves is None:
        missing = "seed" if game.seed is None else "moves"
        raise GameNotReplayableError(
            f"game {match_id}:{number} cannot be played again: its {missing} "
            f"{'is' if game.seed is None else 'are'} not known"
        )
    analyst = MatchAnalyst(database, solver or Solver(table_mb=TABLE_MB), lambda: False)
    corpus = read_corpus(database, terms.board, terms.corpus) if terms.corpus else None
    try:
        with Table(terms, Resources(analyst, corpus)) as table:
            return Replay(game, table.play_seeded(game.seed, game.a_side))
    except PlayerError as error:
        raise GameNotReplayableError(
            f"game {match_id}:{number} cannot be played again: {error}"
        ) from None
    except StopPlaying as stop:
        # Nobody says to stop here, so there is an error.
        raise (stop.error or stop) from None
