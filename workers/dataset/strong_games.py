"""Games of strong play, as a source of data sets: perfect players that err now and then."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from c4core.position import Position
from db.records.matches import MatchTerms
from workers.dataset.sources import find
from workers.matches.playing import job_of_matches, matches_of, settle_matches

if TYPE_CHECKING:
    from collections.abc import Callable

    from db.database import Database
    from workers.dataset.order import Order

POSITIONS_OF_A_GAME: Final = 8
"""New positions that a game is expected to give at first: games of strong play are alike."""

MAX_GROWTH: Final = 4
"""How many times as many games are played in the next round at most."""

MAX_GAMES: Final = 1_000_000


def terms_of(order: Order, games: int) -> MatchTerms:
    """The terms of a match of strong play for an order.

    The seed does not depend on the number of games, so a longer match begins with the same games.
    """
    player = f"perfect:blunder={order.blunder}"
    digest = hashlib.blake2b(f"dataset strong {order.seed}".encode(), digest_size=8).digest()
    return MatchTerms(
        player_a=player,
        player_b=player,
        games=games,
        seed=int.from_bytes(digest, "big"),
        start=Position(width=order.board.width, height=order.board.height),
    )


def play_games(
    database: Database, order: Order, run: Callable[[int], None], wanted: int
) -> tuple[int, ...]:
    """Have so many games played that they have enough positions for an order.

    Matches that were played before are found again. If a match of twice as many games or more has
    no more positions than one before, it is as good as there is.

    Args:
        database: where matches and jobs are.
        order: one from ``strong``.
        run: works on the job of this number to its end.
        wanted: how many positions are needed.

    Returns:
        The number of the match, alone.

    Raises:
        EmptySourceError: no game has a position that may be taken.
        PlayerError, MatchTermsError: the games cannot be played on this board.
        StorageError: the database cannot be read or written.
    """
    games, before = max(10, wanted // POSITIONS_OF_A_GAME), 0
    while True:
        job_id = job_of_matches(database, [terms_of(order, games)], label=order.label)
        run(job_id)
        matches = tuple(matches_of(database, job_id))
        settle_matches(database, matches)
        found = len(find(database, order, wanted, matches).sample.keys)
        if found >= wanted or found == before or games == MAX_GAMES:
            return matches
        growth = min(max(1.2 * wanted / found, 2), MAX_GROWTH)
        games, before = min(int(games * growth), MAX_GAMES), found
