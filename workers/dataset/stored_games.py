"""The positions of stored games, as a source of data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.dataset.draw import gather, keep_all
from c4core.notation import parse_moves
from db import games
from db.records.games import GameFilter
from workers.matches.terms import find_corpus

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from c4core.dataset.draw import Keep, Sample
    from c4core.notation import BoardSize
    from c4core.position import Position
    from db.database import Database
    from db.records.games import StoredGame

_MATCHES: Final = 500
"""Matches in one query: both databases limit the number of parameters."""


@dataclass(slots=True)
class Harvest:
    """The stored games that were read."""

    matches: tuple[int, ...]
    """The number of finished matches whose games were read."""
    games: int = 0
    """Games that were read."""
    without_moves: int = 0
    """Those of which only the final grid is known, so that they have no open position."""


def choose_from_games(
    database: Database,
    board: BoardSize,
    wanted: Collection[int],
    *,
    first: int,
    last: int,
    count: int,
    seed: int,
    keep: Keep = keep_all,
) -> tuple[Sample, Harvest]:
    """Some of the different positions of stored games, each equally likely.

    Args:
        database: where the games are.
        board: of all of them.
        wanted: numbers of finished matches; empty for all finished ones.
        first: fewest stones.
        last: most stones.
        count: how many positions are wanted.
        seed: decides which.
        keep: which positions may be taken.

    Raises:
        MatchTermsError: a match is not finished, is on another board, or does not exist.
        StorageError: the database cannot be read.
    """
    harvest = Harvest(find_corpus(database, board, wanted))
    keys = (
        position.canonical_key
        for position in _positions(database, board, harvest)
        if first <= position.ply <= last and not position.is_over
    )
    return gather(keys, count, seed, keep=keep), harvest


def _positions(database: Database, board: BoardSize, harvest: Harvest) -> Iterator[Position]:
    """Every position of every game, from the one that it began with."""
    with database.read() as session:
        for begin in range(0, len(harvest.matches), _MATCHES):
            matches = harvest.matches[begin : begin + _MATCHES]
            starts = {number: games.get_terms(session, number).start for number in matches}
            for game in games.stream_games(session, GameFilter(matches=matches)):
                harvest.games += 1
                harvest.without_moves += game.moves is None
                yield from _positions_of(game, starts[game.match_id], board)


def _positions_of(game: StoredGame, start: Position, board: BoardSize) -> Sequence[Position]:
    if game.moves is None:
        return ()
    found = [start]
    for column in parse_moves(game.moves, width=board.width):
        found.append(found[-1].play(column))
    return found
