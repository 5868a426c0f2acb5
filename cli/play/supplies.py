"""What players and hints need: exact scores, and games that were stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.players.resources import Resources
from db import games
from workers.matches.corpora import read_corpus
from workers.matches.terms import looks_games_up

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from c4core.players.player import PlayerSpec
    from cli.play.scores import Scores
    from db.database import Database


@dataclass(frozen=True, slots=True)
class Supplies:
    """Gives each player what it needs."""

    scores: Scores
    """Knows exact scores."""
    database: Database | None = None
    """Has stored games; None for none."""

    def of(self, spec: PlayerSpec, board: BoardSize) -> Resources:
        """What a player needs on a board.

        Raises:
            StorageError: the stored games cannot be read.
        """
        if self.database is None or not looks_games_up(spec):
            return Resources(analyst=self.scores)
        with self.database.read() as session:
            matches = games.finished_matches(session, board)
        return Resources(self.scores, read_corpus(self.database, board, matches))
