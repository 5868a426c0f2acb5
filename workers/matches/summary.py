"""The result of a unit of a match: what its games have come to, in a few numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from db.records.games import StoredGame
    from db.records.jobs import Json


def summary(match_id: int, first: int, found: Sequence[StoredGame]) -> Json:
    """The result of a unit, as :mod:`workers.matches.units` describes it.

    Args:
        match_id: the match.
        first: the number of the unit's first game.
        found: the unit's games that count.
    """
    results = [game.a_result for game in found]
    return {
        "match": match_id,
        "games": [first, first + len(found)],
        "a_wins": results.count(1),
        "b_wins": results.count(-1),
        "draws": results.count(0),
        "seconds": sum(game.x_seconds + game.o_seconds for game in found),
    }
