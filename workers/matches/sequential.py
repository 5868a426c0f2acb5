"""Sequential tests: a match ends as soon as it is decided, and always after the same game.

The test looks at the games in the order of their numbers, one after another, up to the first that
is not stored yet. So what it decides, and after which game, does not depend on who has played which
games when; only how many were played in vain does. Nor do the results of the units: they tell of
the games up to the one that has decided.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from c4core.arena.statistics import Tally
from db import games
from db.errors import StorageError
from db.games import GameCursor, GameFilter
from db.jobs import UnitState
from workers.matches.summary import summary

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.arena.statistics import Sprt
    from db.database import Database
    from db.session import Session


def decide(test: Sprt, results: Iterable[tuple[int, int]]) -> tuple[int, str] | None:
    """After how many games a test is decided, and for which hypothesis; None while it is not.

    Args:
        test: about player a's strength.
        results: number and result for player a (1, 0, -1) of games, by number.
    """
    counts = {1: 0, 0: 0, -1: 0}
    for expected, (number, result) in enumerate(results):
        if number != expected:
            return None
        counts[result] += 1
        verdict = test.verdict(Tally(counts[1], counts[-1], counts[0]))
        if verdict is not None:
            return expected + 1, verdict
    return None


def settle_match(database: Database, match_id: int) -> str | None:
    """End a match that its sequential test has decided; what was decided, or None.

    May be called at any time, any number of times. Workers do after every unit; whoever reports a
    match does as well, since a worker may have died between a unit and this.

    Raises:
        MatchNotFoundError: there is no such match.
        StorageError: the database failed.
    """
    with database.read() as session:
        match = games.get_match(session, match_id)
        if match.terms.sprt is None or match.verdict is not None:
            return match.verdict
        decided = decide(match.terms.sprt, games.results_in_order(session, match_id))
    if decided is None:
        return None
    number, verdict = decided

    def end(session: Session) -> None:
        if games.end_early(session, match_id, games=number, verdict=verdict):
            _settle_results(session, match_id, number)

    database.run(end)
    return verdict


def _settle_results(session: Session, match_id: int, end: int) -> None:
    """Let the units that are done tell of the games before ``end``, whoever has played others."""
    for unit in games.units_of_match(session, match_id):
        first, behind = unit.payload["first"], unit.payload["first"] + unit.payload["count"]
        is_whole = behind <= end and unit.result != games.NEEDLESS
        if is_whole or unit.state is not UnitState.DONE:
            continue
        result = games.NEEDLESS
        if first < end:
            of_match = GameFilter(matches=(match_id,))
            before = GameCursor(match_id, first - 1)
            page = games.list_games(session, of_match, after=before, limit=min(behind, end) - first)
            result = summary(match_id, first, page.games)
        if result != unit.result:
            games.set_result(session, unit.unit_id, result)


def settle_if_possible(database: Database, match_id: int) -> None:
    """:func:`settle_match` for a worker: if the database is away now, the next one does it."""
    with suppress(StorageError):
        settle_match(database, match_id)
