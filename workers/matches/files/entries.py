"""Stored games as entries of a file, and entries as games to be stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.arena.files import GameEntry
from c4core.arena.game import Ending
from c4core.position import Position
from db import games
from db.records.games import StoredGame

if TYPE_CHECKING:
    from collections.abc import Iterator

    from db.database import Database, Session
    from db.records.games import GameCursor, GameFilter
    from db.records.matches import MatchTerms

_ENDINGS = {str(ending): ending for ending in Ending}


def stream_entries(
    database: Database, filters: GameFilter, *, after: GameCursor | None = None
) -> Iterator[GameEntry]:
    """Stored games by match, then by number, in constant memory.

    Args:
        database: where they are.
        filters: which games.
        after: begin behind this one.

    Raises:
        StorageError: the database cannot be read.
    """
    known: dict[int, MatchTerms] = {}
    with database.read() as session:
        for game in games.stream_games(session, filters, after=after):
            yield entry_of(game, _terms(session, game.match_id, known))


def entry_of(game: StoredGame, terms: MatchTerms) -> GameEntry:
    """A stored game as a file has it."""
    width, height = terms.board
    a_first = game.a_side == "x"
    return GameEntry(
        start=terms.start,
        moves=game.moves,
        final=Position.from_key(game.final_key, width=width, height=height),
        winner=game.winner,
        ending=_ENDINGS[game.ending],
        first=terms.player_a if a_first else terms.player_b,
        second=terms.player_b if a_first else terms.player_a,
        seed=game.seed,
        detail=game.detail,
        x_seconds=game.x_seconds,
        o_seconds=game.o_seconds,
        replaced=game.replaced,
        match=game.match_id,
        number=game.number,
    )


def game_of(entry: GameEntry, *, player_a: str | None) -> StoredGame:
    """A game of a file as it is stored.

    Args:
        entry: the game.
        player_a: the description of player a, as the file has it.
    """
    return StoredGame(
        number=0,
        a_side="x" if entry.first == player_a else "o",
        seed=entry.seed,
        moves=entry.moves,
        final_key=entry.final.key,
        length=entry.final.ply - entry.start.ply,
        winner=entry.winner,
        ending=str(entry.ending),
        detail=entry.detail,
        x_seconds=entry.x_seconds,
        o_seconds=entry.o_seconds,
        replaced=entry.replaced,
    )


def _terms(session: Session, match_id: int, known: dict[int, MatchTerms]) -> MatchTerms:
    if match_id not in known:
        known[match_id] = games.get_terms(session, match_id)
    return known[match_id]
