"""The games of a file as matches: sorted by who has played, and stored all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.lines import BadLine
from db import games
from db.records.games import GameFilter
from workers.matches.files.entries import game_of, stream_entries
from workers.matches.files.importing import UNKNOWN_PLAYER, import_games

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.arena.files import GameEntry, Repeats
    from c4core.position import Position
    from db.database import Database
    from db.records.games import StoredGame
    from workers.matches.files.importing import ImportSummary

MAX_KEPT: Final = 10
"""Bad lines that are kept; the others are only counted."""


class MatchGames(NamedTuple):
    """Games that become one match."""

    start: Position
    a: str | None
    b: str | None
    games: list[StoredGame]


class Collection:
    """Games in memory, sorted by match.

    Args:
        repeats: knows earlier games; repeated ones are left out. None keeps all.

    Attributes:
        lines: games and bad lines that were read.
        bad: the first bad lines.
        bad_lines: how many there are.
        repeated: games that were left out.
    """

    def __init__(self, repeats: Repeats | None = None) -> None:
        self.lines = 0
        self.bad: list[BadLine] = []
        self.bad_lines = 0
        self.repeated = 0
        self._repeats = repeats
        self._matches: dict[tuple[Position, frozenset[str | None]], MatchGames] = {}

    @property
    def matches(self) -> list[MatchGames]:
        """One match for all games of two players that began from the same position."""
        return list(self._matches.values())

    def read(self, entries: Iterable[GameEntry | BadLine]) -> None:
        """Take in games and bad lines."""
        for entry in entries:
            self.lines += 1
            if isinstance(entry, BadLine):
                self.bad_lines += 1
                if len(self.bad) < MAX_KEPT:
                    self.bad.append(entry)
            elif self._repeats is None or self._repeats.is_new(entry):
                self._add(entry)
            else:
                self.repeated += 1

    def _add(self, entry: GameEntry) -> None:
        group = (entry.start, frozenset((entry.first, entry.second)))
        if group not in self._matches:
            self._matches[group] = MatchGames(entry.start, entry.first, entry.second, [])
        match = self._matches[group]
        match.games.append(game_of(entry, player_a=match.a))


def remember_stored(database: Database, repeats: Repeats) -> None:
    """Make all stored games known, so that the same ones count as repeated.

    Raises:
        StorageError: the database cannot be read.
    """
    for entry in stream_entries(database, GameFilter()):
        repeats.is_new(entry)


def import_matches(
    database: Database, matches: Iterable[MatchGames], *, label: str | None = None
) -> list[ImportSummary]:
    """Store games as matches: all of them, or none.

    Args:
        database: where they shall live.
        matches: the games.
        label: a name for every match.

    Raises:
        StorageError: the database cannot be written.
    """
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
