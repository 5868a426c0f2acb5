"""Jobs of kind ``match``: find an earlier job for the same matches, or plan a new one.

A job plays one match, or all matches of a tournament. A unit is about two seconds of work. Earlier
games show how long the players' moves take; otherwise some games are played as a trial. Move times
differ by five orders of magnitude or more, from microseconds to minutes, and only playing reveals
them. A wrong estimate loses no result: the games of a stopped unit are kept.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

from c4core.players import ANY_PROGRAM, Resources, Stop, StopPlaying, parse_player
from c4core.version import ENGINE_VERSION
from db import games
from db.jobs import control
from db.records.jobs import UnitPlan
from workers.match.judging import check_matches
from workers.match.table import Table
from workers.match.terms import KIND, MatchTermsError, asks_the_solver, complete, needs_this_machine
from workers.match.units import settle_match

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from db.database import Database, Session
    from db.records.jobs import Json
    from db.records.matches import MatchTerms


ENOUGH_MOVES: Final = 100.0
"""Number of earlier moves that are enough to predict the time of the next one."""

PROBE_SECONDS: Final = 0.1
"""Target time of a trial; a move in progress is finished, up to the next limit."""

MAX_PROBE_SECONDS: Final = 2.0
"""Maximum time of a trial, including the move in progress; slower players count as this slow."""

PROBE_GAMES: Final = 50
"""Maximum number of games in a trial."""

SOLVER_SECONDS: Final = 0.03
"""Assumed time for a move of a player that uses the solver. A trial would mislead: its first games
search positions that later games find in the database."""

EXTERNAL_SECONDS: Final = 0.05
"""Assumed time for a move of a program, which may not be installed on this machine."""

TYPICAL_SHARE: Final = 0.7
"""Typical share of the board that a game fills."""


class MoveTimes:
    """The time that players take for a move; each player has at most one trial."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._seconds: dict[str, float] = {}

    def seconds_per_game(self, terms: MatchTerms) -> float:
        """The expected seconds of one game of a match."""
        moves = TYPICAL_SHARE * (terms.board.cells - terms.start.ply)
        pace_a, pace_b = (self._pace(terms, player) for player in (terms.player_a, terms.player_b))
        return moves * (pace_a + pace_b) / 2

    def _pace(self, terms: MatchTerms, player: str) -> float:
        if player not in self._seconds:
            self._seconds[player] = self._measured(terms, player)
        return self._seconds[player]

    def _measured(self, terms: MatchTerms, player: str) -> float:
        with self._database.read() as session:
            moves, seconds = games.read_pace(session, terms.board, player)
        if moves >= ENOUGH_MOVES:
            return seconds / moves
        spec = parse_player(player)
        if spec.kind.cls.is_program:
            return EXTERNAL_SECONDS
        if asks_the_solver(spec):
            return SOLVER_SECONDS
        return probe(replace(terms, player_a=player, player_b=player))


def probe(terms: MatchTerms) -> float:
    """The time per move in a few trial games, which are not stored."""
    moves = 0

    def count() -> None:
        nonlocal moves
        if moves and time.perf_counter() - began > PROBE_SECONDS:
            raise StopPlaying
        moves += 1

    stop = Stop().within(MAX_PROBE_SECONDS)
    # The user who plans the match has chosen its players, so consent is given. Programs have no
    # trial.
    table = Table(terms, Resources(programs=ANY_PROGRAM), before_move=count, stop=stop)
    began = time.perf_counter()  # after the players' code is loaded
    with table, suppress(StopPlaying):
        for number in range(PROBE_GAMES):
            table.play(number)
    # A player that fails at the start of its games has made no moves.
    return (time.perf_counter() - began) / max(moves, 1)


FORM: Final = 1
"""Format version of payloads and results. Jobs with another version are not found."""

UNIT_SECONDS: Final = 2.0
"""Target seconds of work in a unit: a worker that dies loses at most about this much work."""

MAX_GAMES: Final = 2_000
"""Maximum number of games in a unit; they are written in one transaction."""

LEAST_UNITS: Final = 32
"""Approximate number of units of a job whose games take long enough, so that all threads have work
until the end. It also holds for each match with a sequential test, which every unit updates."""

LEAST_SECONDS: Final = 0.05
"""Minimum work of a unit."""


@dataclass(frozen=True, slots=True)
class MatchSubmission:
    """A job that has been planned."""

    job_id: int
    match_ids: tuple[int, ...]
    """The matches that the job plays, in the order of the request."""


def find_job(database: Database, terms: Sequence[MatchTerms]) -> int | None:
    """The newest job that plays exactly these matches and still has all of them, or None.

    Its cancelled and failed units are queued again. A finished job stays finished. Errors are as in
    :func:`plan_matches`.
    """
    asked = _complete(database, terms)
    with database.read() as session:
        job_id = control.newest_job(
            session,
            kind=KIND,
            board=asked[0].board,
            params=_params(asked),
            engine_version=ENGINE_VERSION,
        )
        if job_id is None or not _has_all_matches(session, job_id, asked):
            return None
    database.run(partial(control.resume_job, job_id=job_id))
    return job_id


def plan_matches(
    database: Database, terms: Sequence[MatchTerms], *, label: str | None = None
) -> MatchSubmission:
    """Create a job that plays matches on one board, and start it, in one transaction.

    The label is a name of the job and its matches, for users.

    Raises:
        MatchNotFoundError: a match whose games players look up has just been deleted.
        PlayerError: a player's description is invalid.
        MatchTermsError: the matches cannot be played, are on different boards, or there are none.
    """
    asked = _complete(database, terms)
    paces = MoveTimes(database)
    least = math.ceil(LEAST_UNITS / len(asked))
    plans = [list(_units(each, paces.seconds_per_game(each), least)) for each in asked]

    def make(session: Session) -> MatchSubmission:
        job_id = control.create_job(
            session,
            kind=KIND,
            board=asked[0].board,
            params=_params(asked),
            label=label,
            engine_version=ENGINE_VERSION,
        )
        match_ids = []
        first = 0
        for each, units in zip(asked, plans, strict=True):
            match_id = games.create_match(session, each, job_id=job_id, label=label)
            control.add_units(session, job_id, (_of_match(match_id, unit) for unit in units))
            games.set_units(session, match_id, first, first + len(units))
            first += len(units)
            match_ids.append(match_id)
        control.start_job(session, job_id)
        return MatchSubmission(job_id, tuple(match_ids))

    return database.run(make)


def _has_all_matches(session: Session, job_id: int, terms: Sequence[MatchTerms]) -> bool:
    """Whether all matches of a job still exist; they may have been deleted."""
    return len(games.matches_of_job(session, job_id)) >= len(terms)


def _complete(database: Database, terms: Sequence[MatchTerms]) -> list[MatchTerms]:
    if not terms:
        raise MatchTermsError("there are no matches to play")
    boards = sorted({str(each.board) for each in terms})
    if len(boards) > 1:
        raise MatchTermsError(f"all matches of a job need one board, not {' and '.join(boards)}")
    return [complete(database, each) for each in terms]


def _params(terms: Sequence[MatchTerms]) -> Json:
    return {"form": FORM, "matches": [each.as_json() for each in terms]}


def _units(terms: MatchTerms, seconds: float, least: int) -> Iterator[UnitPlan]:
    """The units of a match, without its number, which is not known yet.

    ``seconds`` is the time per game; ``least`` is the target number of units, if games take long
    enough.
    """
    seconds = max(seconds, 1e-6)
    number = least if terms.sprt is None else LEAST_UNITS
    fair = max(terms.games / number, LEAST_SECONDS / seconds)
    size = max(1, min(math.ceil(fair), round(UNIT_SECONDS / seconds), MAX_GAMES))
    for first in range(0, terms.games, size):
        count = min(size, terms.games - first)
        yield UnitPlan({"first": first, "count": count}, count)


def _of_match(match_id: int, unit: UnitPlan) -> UnitPlan:
    return UnitPlan({"match": match_id, **unit.payload}, unit.positions)


def job_of_matches(
    database: Database,
    terms: Sequence[MatchTerms],
    *,
    label: str | None = None,
    fresh: bool = False,
) -> int:
    """The job that plays these matches: an earlier one for exactly the same, or a new one.

    Errors are as in :func:`plan_matches` and :func:`workers.match.judging.check_matches`.
    """
    check_matches(database, dict.fromkeys(match for each in terms for match in each.corpus))
    found = None if fresh else find_job(database, terms)
    return found or plan_matches(database, terms, label=label).job_id


def matches_of(database: Database, job_id: int) -> list[int]:
    """The numbers of the matches that a job plays, in order."""
    with database.read() as session:
        return [match.id for match in games.matches_of_job(session, job_id)]


def settle_matches(database: Database, matches: Iterable[int]) -> None:
    """End the matches whose sequential tests are decided. Raises the errors of ``settle_match``."""
    for match in matches:
        settle_match(database, match)


def players_of(terms: Iterable[MatchTerms]) -> list[str]:
    """The descriptions of all players of these matches, each once."""
    both = ((each.player_a, each.player_b) for each in terms)
    return list(dict.fromkeys(chain.from_iterable(both)))


def players_of_this_machine(terms: Iterable[MatchTerms]) -> list[str]:
    """The players that need files of this machine, which other machines may not have."""
    return [player for player in players_of(terms) if needs_this_machine(player)]
