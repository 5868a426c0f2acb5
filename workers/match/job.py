"""Jobs of kind ``match``: an earlier one for the same matches is found, or a new one is planned.

A job plays one match, or all matches of a tournament. A unit is some seconds of work, by the time
of the players' games. Earlier games tell how long their moves take; otherwise some games are played
now. Players differ by five orders of magnitude and more, from microseconds to minutes, and only
playing shows it. A wrong measure loses no result: the games of a stopped unit are kept.
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Final

from c4core.players import ANY_PROGRAM, Resources, Stop, StopPlaying, parse_player
from c4core.version import ENGINE_VERSION
from db import games, jobs
from db.records.jobs import UnitPlan
from workers.core.submit import find_or_plan, refuse_second, set_going
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
"""So many earlier moves are enough to predict the time of the next one."""

PROBE_SECONDS: Final = 0.1
"""Time for trying a player out; a move that has begun is finished, up to the next limit."""

MAX_PROBE_SECONDS: Final = 2.0
"""Time for the move that has begun; slower players all count as this slow."""

PROBE_GAMES: Final = 50
"""Games of a trial at most."""

SOLVER_SECONDS: Final = 0.03
"""A guess for a move of a player that asks the solver. A trial would mislead: its first games
search positions that later games find in the database."""

EXTERNAL_SECONDS: Final = 0.05
"""A guess for a move of a program, which may not even be installed on this machine."""

TYPICAL_SHARE: Final = 0.7
"""The share of the board that a game fills."""


class Paces:
    """The time that players take for a move; each has one trial at most."""

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
    """The time of a move in the first games, or the first moves; they are not stored."""
    moves = 0

    def count() -> None:
        nonlocal moves
        if moves and time.perf_counter() - began > PROBE_SECONDS:
            raise StopPlaying
        moves += 1

    stop = Stop().within(MAX_PROBE_SECONDS)
    # Whoever plans the match has named its players. Programs are not tried out.
    table = Table(terms, Resources(programs=ANY_PROGRAM), before_move=count, stop=stop)
    began = time.perf_counter()  # now the players' code is loaded
    with table, suppress(StopPlaying):
        for number in range(PROBE_GAMES):
            table.play(number)
    # A player that fails when its games begin has moved nowhere.
    return (time.perf_counter() - began) / max(moves, 1)


FORM: Final = 1
"""The form of payloads and results. It is one of the parameters, so that a job of another form is
not found."""

UNIT_SECONDS: Final = 2.0
"""Work in a unit: a worker takes it at once, and loses so much at most when it dies."""

MAX_GAMES: Final = 2_000
"""Games of a unit at most: they are written in one transaction."""

LEAST_UNITS: Final = 32
"""A job is cut into about so many units if its games take long enough, so that all threads have
work until the end. So is each match with a sequential test, which is updated after every unit."""

LEAST_SECONDS: Final = 0.05
"""Less work than this is not worth a unit of its own."""


@dataclass(frozen=True, slots=True)
class MatchSubmission:
    """A job that has been planned."""

    job_id: int
    """Its number."""
    match_ids: tuple[int, ...]
    """The matches that it plays, in the order in which they were asked for."""


def find_job(database: Database, terms: Sequence[MatchTerms]) -> int | None:
    """The newest job that plays exactly these matches and still has all of them, or None.

    Its cancelled and failed units are queued again. A job that is done stays done.

    Raises:
        PlayerError, MatchTermsError, StorageError: as :func:`plan_matches`.
    """
    asked = _complete(database, terms)
    with database.read() as session:
        job_id = jobs.newest_job(
            session,
            kind=KIND,
            board=asked[0].board,
            params=_params(asked),
            engine_version=ENGINE_VERSION,
        )
        if job_id is None or not _has_all_matches(session, job_id, asked):
            return None
    set_going(database, job_id)
    return job_id


def find_or_plan_matches(
    database: Database, terms: Sequence[MatchTerms], *, label: str | None = None
) -> int:
    """The number of the job that :func:`find_job` finds, or else of a new one.

    If several callers ask for the same at the same moment, one of them makes the job. Arguments and
    errors are those of :func:`plan_matches`.
    """
    return find_or_plan(
        lambda: find_job(database, terms),
        lambda: plan_matches(database, terms, label=label, only_one=True).job_id,
    )


def plan_matches(
    database: Database,
    terms: Sequence[MatchTerms],
    *,
    label: str | None = None,
    only_one: bool = False,
) -> MatchSubmission:
    """Make a job that plays some matches, and start it; all in one transaction.

    Args:
        database: keeps the job.
        terms: those of at least one match, all on one board.
        label: a name for people, for the job and its matches.
        only_one: make no second job for the same matches.

    Raises:
        AlreadyAskedError: with ``only_one``, there is one that :func:`find_job` finds.
        MatchNotFoundError: a match whose games are to be looked up has just been deleted.
        PlayerError: a player's description cannot be read.
        MatchTermsError: matches that cannot be played, on different boards, or none at all.
    """
    asked = _complete(database, terms)
    paces = Paces(database)
    least = math.ceil(LEAST_UNITS / len(asked))
    plans = [list(_units(each, paces.seconds_per_game(each), least)) for each in asked]

    def make(session: Session) -> MatchSubmission:
        if only_one:
            refuse_second(
                session,
                kind=KIND,
                board=asked[0].board,
                params=_params(asked),
                is_usable=lambda job_id: _has_all_matches(session, job_id, asked),
            )
        job_id = jobs.create_job(
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
            jobs.add_units(session, job_id, (_of_match(match_id, unit) for unit in units))
            games.set_units(session, match_id, first, first + len(units))
            first += len(units)
            match_ids.append(match_id)
        jobs.start_job(session, job_id)
        return MatchSubmission(job_id, tuple(match_ids))

    return database.run(make)


def _has_all_matches(session: Session, job_id: int, terms: Sequence[MatchTerms]) -> bool:
    """Whether a job still has every match that it was made for; they may be deleted."""
    return len(games.matches_of_job(session, job_id)) >= len(terms)


def _complete(database: Database, terms: Sequence[MatchTerms]) -> list[MatchTerms]:
    if not terms:
        raise MatchTermsError("there is no match to play")
    boards = sorted({str(each.board) for each in terms})
    if len(boards) > 1:
        raise MatchTermsError(f"the matches of a job have one board, not {' and '.join(boards)}")
    return [complete(database, each) for each in terms]


def _params(terms: Sequence[MatchTerms]) -> Json:
    return {"form": FORM, "matches": [each.as_json() for each in terms]}


def _units(terms: MatchTerms, seconds: float, least: int) -> Iterator[UnitPlan]:
    """The units of a match, without its number, which is not known yet.

    Args:
        terms: the match's.
        seconds: the time of a game.
        least: the wanted number of units, if the games take long enough.
    """
    seconds = max(seconds, 1e-6)
    number = least if terms.sprt is None else LEAST_UNITS
    fair = max(terms.games / number, LEAST_SECONDS / seconds)
    size = max(1, min(math.ceil(fair), round(UNIT_SECONDS / seconds), MAX_GAMES))
    for first in range(0, terms.games, size):
        count = min(size, terms.games - first)
        yield UnitPlan({"first": first, "count": count}, count, expected_seconds=seconds * count)


def _of_match(match_id: int, unit: UnitPlan) -> UnitPlan:
    return UnitPlan(
        {"match": match_id, **unit.payload}, unit.positions, expected_seconds=unit.expected_seconds
    )


def job_of_matches(
    database: Database,
    terms: Sequence[MatchTerms],
    *,
    label: str | None = None,
    fresh: bool = False,
) -> int:
    """The job that plays some matches: an earlier one for exactly these, or a new one.

    Raises:
        PlayerError, MatchTermsError: the matches cannot be played.
        MatchNotFoundError: players should look up games of a match that does not exist.
    """
    check_matches(database, dict.fromkeys(match for each in terms for match in each.corpus))
    if fresh:
        return plan_matches(database, terms, label=label).job_id
    return find_or_plan_matches(database, terms, label=label)


def matches_of(database: Database, job_id: int) -> list[int]:
    """The numbers of the matches that a job plays, in order."""
    with database.read() as session:
        return [match.id for match in games.matches_of_job(session, job_id)]


def settle_matches(database: Database, matches: Iterable[int]) -> None:
    """End the matches whose sequential tests are decided. Errors are those of ``settle_match``."""
    for match in matches:
        settle_match(database, match)


def players_of(terms: Iterable[MatchTerms]) -> list[str]:
    """The descriptions of all players of some matches, each once."""
    both = ((each.player_a, each.player_b) for each in terms)
    return list(dict.fromkeys(chain.from_iterable(both)))


def players_of_this_machine(terms: Iterable[MatchTerms]) -> list[str]:
    """The players that are files of this machine, which other machines may not have.

    Raises:
        PlayerError: a player's description cannot be read.
    """
    return [player for player in players_of(terms) if needs_this_machine(player)]
