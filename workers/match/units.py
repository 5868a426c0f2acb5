"""Units of jobs of kind ``match``: consecutive games of a match.

The payload is ``{"match": 3, "first": 200, "count": 50}``. The games themselves are rows of their
own, written in the transaction that ends the unit; the result is their summary::

    {"match": 3, "games": [200, 250],   the first number, and the number after the last
     "a_wins": 30, "b_wins": 18, "draws": 2,
     "seconds": 1.25}                    for the players' moves

A stopped unit stores the finished games, and the next worker plays the rest.

A match with a sequential test ends as soon as the test is decided, and always after the same game.
The test takes the games in the order of their numbers, up to the first that is not stored yet. So
the decision, and the game after which it comes, do not depend on which worker plays which games
when. The results of the units do not depend on it either: ``games`` ends with the deciding game,
because later games do not count. Only the number of unnecessary games varies. A process remembers
the games that it has counted: stored games do not change, so each is read once.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from c4core.arena.statistics import Tally
from c4core.players import NO_PROGRAM, ProgramRefusedError, Resources, Stop, StopPlaying
from db import games
from db.errors import StorageError
from db.records.games import GameCursor, GameFilter
from db.records.jobs import UnitState
from workers.answers.lines import error_object
from workers.core.kinds import JobKind, UnitOutcome
from workers.core.searching import interrupting
from workers.match.table import MatchAnalyst, Table, read_corpus
from workers.match.terms import KIND, players_of_job, players_of_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from c4core.arena.statistics import Sprt
    from c4core.lines import JsonValue
    from c4core.players import Consent
    from c4core.solver import Solver
    from db.database import Database, Session
    from db.records.games import StoredGame
    from db.records.jobs import Claim, JobInfo, Json, UnitResult
    from db.records.matches import MatchTerms


_KEPT: Final = 32
"""Number of tests that a process remembers."""


@dataclass(slots=True)
class Trial:
    """A sequential test in progress."""

    test: Sprt
    counts: dict[int, int] = field(default_factory=lambda: {1: 0, 0: 0, -1: 0})
    """Number of games by their result for player a."""
    verdict: str | None = None
    """The accepted hypothesis, or None."""

    @property
    def games(self) -> int:
        """Number of counted games; after the decision, the number that it took."""
        return sum(self.counts.values())

    def go_on(self, results: Iterable[int]) -> str | None:
        """Count the next games; return the verdict, or None if there is none yet.

        ``results`` are for player a (1, 0, -1), of the games after the counted ones, without gaps.
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
    """End a match if its sequential test is decided; return the verdict, or None.

    It may be called at any time, any number of times. Workers call it after every unit. Reports of
    a match also call it, because a worker may have died between a unit and this call.
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
    """This process's memory of a match's test; only the most recent tests are kept."""
    trials = _trials.setdefault(database, {})
    trial = trials.pop(name, None) or Trial(test)
    trials[name] = trial
    while len(trials) > _KEPT:
        del trials[next(iter(trials))]
    return trial


def _settle_results(session: Session, match_id: int, end: int) -> None:
    """Make the results of finished units count only games before ``end``."""
    for unit in games.units_of_match(session, match_id):
        first = unit.payload["first"]
        behind = first + unit.payload["count"]
        is_whole = behind <= end and unit.result != games.NOT_NEEDED
        if is_whole or unit.state is not UnitState.DONE:
            continue
        result = games.NOT_NEEDED
        if first < end:
            of_match = GameFilter(matches=(match_id,))
            before = GameCursor(match_id, first - 1)
            page = games.list_games(session, of_match, after=before, limit=min(behind, end) - first)
            result = summary(match_id, first, page.games)
        if result != unit.result:
            games.set_result(session, unit.unit_id, result)


def settle_if_possible(database: Database, match_id: int) -> None:
    """Call :func:`settle_match` for a worker; after a database failure, a later call does it."""
    with suppress(StorageError):
        settle_match(database, match_id)


def summary(match_id: int, first: int, found: Sequence[StoredGame]) -> Json:
    """The result of a unit, as :mod:`workers.match.units` describes it."""
    results = [game.a_result for game in found]
    return {
        "match": match_id,
        "games": [first, first + len(found)],
        "a_wins": results.count(1),
        "b_wins": results.count(-1),
        "draws": results.count(0),
        "seconds": sum(game.x_seconds + game.o_seconds for game in found),
    }


def solve_unit(
    claim: Claim,
    solver: Solver,
    database: Database,
    is_stopped: Callable[[], bool],
    *,
    programs: Consent = NO_PROGRAM,
) -> UnitOutcome:
    """Play the games of a unit that are not stored yet.

    No game counts as lost if a player is unknown (PlayerError), may not be started
    (ProgramRefusedError) or has a bug, or if the machine has run out of a resource: the error is
    raised.
    """
    match_id, first = claim.payload["match"], claim.payload["first"]
    end = first + claim.payload["count"]
    with database.read() as session:
        terms = games.get_terms(session, match_id)
        is_decided = games.get_verdict(session, match_id) is not None
        there = GameFilter(matches=(match_id,))
        # The game of the cursor need not exist: only its number counts.
        page = games.list_games(
            session, there, after=GameCursor(match_id, first - 1), limit=max(end - first, 1)
        )
    earlier = [game for game in page.games if game.number < end]
    # The match may be decided even if this unit failed or was cancelled before.
    wanted = set() if is_decided else set(range(first, end))
    missing = sorted(wanted - {game.number for game in earlier})
    began = time.perf_counter()
    analyst = MatchAnalyst(database, solver, is_stopped)
    try:
        corpus = read_corpus(database, terms.board, terms.corpus) if terms.corpus else None
        resources = Resources(analyst, corpus, programs)
        played = _play(terms, missing, resources, is_stopped)
    except ProgramRefusedError as error:
        again = f"c4 jobs resume {claim.job_id}"
        raise type(error)(
            f"{error}: start c4 worker with it, then {again}; or, without a broker, "
            f"{again} --allow-programs",
            player=error.player,
        ) from None
    is_complete = len(played) == len(missing)
    return UnitOutcome(
        evaluations=analyst.learned,
        result=summary(match_id, first, [*earlier, *played]) if is_complete else {},
        nodes=analyst.nodes,
        seconds=time.perf_counter() - began,
        is_complete=is_complete,
        records=lambda session: games.add_games(session, match_id, played),
        afterwards=None if terms.sprt is None else lambda: settle_if_possible(database, match_id),
    )


def _play(
    terms: MatchTerms,
    numbers: Sequence[int],
    resources: Resources,
    is_stopped: Callable[[], bool],
) -> list[StoredGame]:

    def check() -> None:
        if is_stopped():
            raise StopPlaying

    played: list[StoredGame] = []
    stop = Stop()
    with (
        interrupting(is_stopped, stop.set),
        Table(terms, resources, before_move=check, stop=stop) as table,
    ):
        try:
            for number in numbers:
                played.append(table.play(number))  # noqa: PERF401 (a stop keeps what was played)
        except StopPlaying as stopped:
            if stopped.error is not None:
                raise stopped.error from None
    return played


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a finished unit: one object about its games."""
    del job
    match_id, first = unit.payload["match"], unit.payload["first"]
    if unit.state is UnitState.DONE and unit.result:
        needless = unit.result == games.NOT_NEEDED
        yield summary(match_id, first, []) if needless else dict(unit.result)
        return
    place: dict[str, JsonValue] = {
        "match": match_id,
        "games": [first, first + unit.payload["count"]],
    }
    yield place | error_object(line=unit.seq + 1, error=f"not played: {unit.error or unit.state}")


MATCH: Final = JobKind(
    KIND,
    "game",
    solve_unit,
    unit_objects,
    players_of_job=players_of_job,
    players_of_unit=players_of_unit,
)
"""Plays games between players."""
