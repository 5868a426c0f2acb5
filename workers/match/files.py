"""Games in files: converted, checked, grouped into matches, and stored completely or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.arena.files import GameEntry
from c4core.arena.game import Ending
from c4core.lines import BadLine
from c4core.position import Position
from db import games
from db.records.games import GameCursor, GameFilter, StoredGame
from db.records.matches import MatchTerms, Origin
from workers.match.terms import GameImportError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from db.database import Database, Session


_ENDINGS = {str(ending): ending for ending in Ending}


def stream_entries(database: Database, filters: GameFilter) -> Iterator[GameEntry]:
    """Stream stored games by match, then by number, in constant memory."""
    known: dict[int, MatchTerms] = {}
    with database.read() as session:
        for game in games.stream_games(session, filters):
            yield entry_of(game, _terms(session, game.match_id, known))


def entry_of(game: StoredGame, terms: MatchTerms) -> GameEntry:
    """Convert a stored game into the form for files."""
    a_first = game.a_side == "x"
    return GameEntry(
        start=terms.start,
        moves=game.moves,
        final=Position.from_key(game.final_key, board=terms.board),
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
    """Convert a game from a file into its stored form; ``player_a`` is described as in the file."""
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


GAMES_PER_TRANSACTION: Final = 2_000
"""Games written at a time; this limits the memory, and how long other writers wait."""

UNKNOWN_PLAYER: Final = "?"


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """The match of an import, and its number of games."""

    match_id: int
    games: int


def import_games(
    database: Database,
    source: Iterable[StoredGame],
    *,
    start: Position | None = None,
    player_a: str = UNKNOWN_PLAYER,
    player_b: str = UNKNOWN_PLAYER,
    label: str | None = None,
) -> ImportSummary:
    """Store games as a new match, in constant memory.

    The games are all on one board and from the same start (default: the empty 7x6 board). They are
    numbered from 0. If reading them fails or is interrupted, the
    match is deleted. Until the last game is stored, the match is marked as incomplete.

    Raises:
        GameImportError: there are no games; nothing was stored.
    """
    terms = MatchTerms(
        player_a=player_a, player_b=player_b, games=0, seed=0, start=start or Position()
    )
    remaining = iter(source)
    batch = list(islice(remaining, GAMES_PER_TRANSACTION))
    if not batch:
        raise GameImportError("there are no games to import")
    match_id = database.run(
        lambda session: games.create_match(session, terms, origin=Origin.IMPORTED, label=label)
    )
    number = 0
    try:
        while batch:
            numbered = [game._replace(number=number + index) for index, game in enumerate(batch)]
            database.run(partial(games.add_games, match_id=match_id, games=numbered))
            number += len(numbered)
            batch = list(islice(remaining, GAMES_PER_TRANSACTION))
        whole = replace(terms, games=number)
        database.run(lambda session: games.end_import(session, match_id, whole))
    except BaseException:
        database.run(lambda session: games.delete_match(session, match_id))
        raise
    return ImportSummary(match_id, number)


def add_game(database: Database, entry: GameEntry, *, label: str) -> GameCursor:
    """Store a game that was played elsewhere, and return its place.

    Games between the same players from the same start with the same label become one match.
    """
    named = entry._replace(
        first=entry.first or UNKNOWN_PLAYER, second=entry.second or UNKNOWN_PLAYER
    )

    def store(session: Session) -> GameCursor:
        terms = MatchTerms(
            player_a=named.first or "", player_b=named.second or "", games=0, start=named.start
        )
        match_id = games.find_import(session, terms, label)
        if match_id is None:
            match_id = games.create_match(session, terms, origin=Origin.IMPORTED, label=label)
        else:
            terms = games.get_terms(session, match_id)
        number = terms.games
        game = game_of(named, player_a=terms.player_a)._replace(number=number)
        games.add_games(session, match_id, [game])
        games.end_import(session, match_id, replace(terms, games=number + 1))
        return GameCursor(match_id, number)

    return database.run(store)


MAX_KEPT: Final = 10
"""Number of bad lines that are kept; the others are only counted."""


class MatchGames(NamedTuple):
    """Games that become one match."""

    start: Position
    a: str | None
    b: str | None
    games: list[StoredGame]


class Collection:
    """Games in memory, grouped by match.

    Attributes:
        lines: number of games and bad lines that were read.
        bad: the first bad lines.
        bad_lines: number of all bad lines.
    """

    def __init__(self) -> None:
        self.lines = 0
        self.bad: list[BadLine] = []
        self.bad_lines = 0
        self._matches: dict[tuple[Position, frozenset[str | None]], MatchGames] = {}

    @property
    def matches(self) -> list[MatchGames]:
        """One match for all games between two players from the same start position."""
        return list(self._matches.values())

    def read(self, entries: Iterable[GameEntry | BadLine]) -> None:
        """Add games and bad lines."""
        for entry in entries:
            self.lines += 1
            if isinstance(entry, BadLine):
                self.bad_lines += 1
                if len(self.bad) < MAX_KEPT:
                    self.bad.append(entry)
            else:
                self._add(entry)

    def _add(self, entry: GameEntry) -> None:
        group = (entry.start, frozenset((entry.first, entry.second)))
        if group not in self._matches:
            self._matches[group] = MatchGames(entry.start, entry.first, entry.second, [])
        match = self._matches[group]
        match.games.append(game_of(entry, player_a=match.a))


def import_matches(
    database: Database, matches: Iterable[MatchGames], *, label: str | None = None
) -> list[ImportSummary]:
    """Store games as matches: all of them, or none."""
    stored: list[ImportSummary] = []
    try:
        for match in matches:
            summary = import_games(
                database,
                match.games,
                start=match.start,
                player_a=match.a or UNKNOWN_PLAYER,
                player_b=match.b or UNKNOWN_PLAYER,
                label=label,
            )
            stored.append(summary)
    except BaseException:
        for summary in stored:
            with database.write() as session:
                games.delete_match(session, summary.match_id)
        raise
    return stored
