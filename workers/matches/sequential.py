"""Sequential tests: a match ends as soon as it is decided, and always after the same game.

The test takes the games in the order of their numbers, one after another, up to the first that is
not stored yet. So its decision, and the game after which it comes, do not depend on who plays which
games when. Nor do the results of the units, which count the games up to the deciding one. Only the
number of needless games does.

A process remembers the games that it has counted: stored games do not change, so each is read once.
"""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from c4core.arena.statistics import Tally
from db import games
from db.decoding import decoding, number_field
from db.errors import StorageError
from db.records.games import GameCursor, GameFilter
from db.records.jobs import UnitState

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from c4core.arena.statistics import Sprt
    from db.database import Database, Session
    from db.records.games import StoredGame
    from db.records.jobs import Json


_KEPT: Final = 32
"""The number of tests that a process remembers."""


@dataclass(slots=True)
class Trial:
    """A sequential test in progress."""

    test: Sprt
    """The test, about player a's strength."""
    counts: dict[int, int] = field(default_factory=lambda: {1: 0, 0: 0, -1: 0})
    """The number of games by their result for player a."""
    verdict: str | None = None
    """The accepted hypothesis, or None."""

    @property
    def games(self) -> int:
        """The number of counted games; after the decision, the number that it took."""
        return sum(self.counts.values())

    def go_on(self, results: Iterable[int]) -> str | None:
        """Count the next games; returns the verdict, or None while there is none.

        Args:
            results: for player a (1, 0, -1), of the games behind those that were counted, by number
                and without a gap.
        """
        for result in () if self.verdict else results:
            self.counts[result] += 1
            counts = self.counts
            self.verdict = self.test.verdict(Tally(counts[1], counts[-1], counts[0]))
            if self.verdict is not None:
                break
        return self.verdict


_lock: Final = threading.Lock()
_trials: Final[WeakKeyDictionary[Database, dict[tuple[int, float], Trial]]] = WeakKeyDictionary()


def settle_match(database: Database, match_id: int) -> str | None:
    """End a match that its sequential test has decided; returns the verdict, or None.

    It may be called at any time, any number of times. Workers call it after every unit, and reports
    of a match do, too: a worker may have died between a unit and this call.

    Raises:
        MatchNotFoundError: there is no such match.
        StorageError: the database failed.
    """
    with database.read() as session:
        test = games.get_terms(session, match_id).sprt
        verdict = games.get_verdict(session, match_id)
        if test is None or verdict is not None:
            return verdict
        name = match_id, games.get_created_at(session, match_id) or 0.0
        with _lock:  # one thread at a time counts the new games
            trial = _trial(database, name, test)
            verdict = trial.go_on(games.results_in_order(session, match_id, trial.games))
            number = trial.games
    if verdict is None:
        return None

    def end(session: Session) -> None:
        if games.end_early(session, match_id, games=number, verdict=verdict):
            _settle_results(session, match_id, number)

    database.run(end)
    return verdict


def _trial(database: Database, name: tuple[int, float], test: Sprt) -> Trial:
    """This process's memory of a match's test; only some last ones are kept."""
    trials = _trials.setdefault(database, {})
    trial = trials.pop(name, None) or Trial(test)
    trials[name] = trial
    while len(trials) > _KEPT:
        del trials[next(iter(trials))]
    return trial


def _settle_results(session: Session, match_id: int, end: int) -> None:
    """Let the results of done units count only games before ``end``."""
    for unit in games.units_of_match(session, match_id):
        with decoding(f"what unit {unit.unit_id} is about"):
            first = number_field(unit.payload, "first", below=1 << 31)
            behind = first + number_field(unit.payload, "count", below=1 << 31)
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
    """:func:`settle_match` for a worker: after a failure of the database, the next one does it."""
    with suppress(StorageError):
        settle_match(database, match_id)


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
