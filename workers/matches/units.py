"""Units of jobs of kind ``match``: some neighbouring games of a match.

The payload says which ones: ``{"match": 3, "first": 200, "count": 50}``. The games themselves are
rows of their own, written in the transaction that ends the unit; the result is their summary::

    {"match": 3, "games": [200, 250],   from the first to before the last
     "a_wins": 30, "b_wins": 18, "draws": 2,
     "seconds": 1.25}                    that the players' moves have taken

Where a sequential test was decided within the unit or before it, ``games`` ends with the deciding
game: later games do not count.

A stopped unit stores the finished games, and the next worker plays the rest.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from c4core.players import NO_PROGRAM, ProgramRefusedError, Resources, StopPlaying
from db import games
from db.records.games import GameCursor, GameFilter
from db.records.jobs import UnitState
from workers.core.outcome import UnitOutcome
from workers.core.rationing import turn_of
from workers.matches.analyst import MatchAnalyst
from workers.matches.corpora import read_corpus
from workers.matches.interrupting import stopping
from workers.matches.sequential import settle_if_possible, summary
from workers.matches.table import Table
from workers.positions.results import error_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from c4core.lines import JsonValue
    from c4core.players import Consent
    from db.database import Database
    from db.records.games import StoredGame
    from db.records.jobs import Claim, JobInfo, UnitResult
    from db.records.matches import MatchTerms
    from workers.core.rationing import Searcher

KIND: Final = "match"


def solve_unit(
    claim: Claim,
    solver: Searcher,
    database: Database,
    is_stopped: Callable[[], bool],
    *,
    programs: Consent = NO_PROGRAM,
) -> UnitOutcome:
    """Play the games of a unit that are not stored yet.

    Args:
        claim: a unit of a job of this kind.
        solver: for players that want exact scores; may be shared.
        database: where the match is; nothing is written.
        is_stopped: whether to give up; asked all the time, also while a player thinks.
        programs: which players that are programs may be started.

    Raises:
        StorageError: the database cannot be read.
        PlayerError: this version of the program does not know a player.
        ProgramRefusedError: a player is a program that may not be started; that loses no game.
        Exception: a player of this project has a bug, or this machine has run out of something.
            Neither counts as a lost game.
    """
    match_id, first = claim.payload["match"], claim.payload["first"]
    end = first + claim.payload["count"]
    with database.read() as session:
        terms = games.get_terms(session, match_id)
        is_decided = games.get_verdict(session, match_id) is not None
        there = GameFilter(matches=(match_id,))
        # The cursor's game need not exist: only its number counts.
        page = games.list_games(
            session, there, after=GameCursor(match_id, first - 1), limit=max(end - first, 1)
        )
    earlier = [game for game in page.games if game.number < end]
    # The match may be decided although this unit has failed before, or was cancelled.
    wanted = set() if is_decided else set(range(first, end))
    missing = sorted(wanted - {game.number for game in earlier})
    began = time.perf_counter()
    with turn_of(solver) as searcher:
        analyst = MatchAnalyst(database, searcher, is_stopped)
        try:
            corpus = read_corpus(database, terms.board, terms.corpus) if terms.corpus else None
            resources = Resources(analyst, corpus, programs)
            played = _play(terms, missing, resources, is_stopped)
        except ProgramRefusedError as error:
            again = f"c4 jobs retry {claim.job_id}"
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
        costs={},
        with_columns=True,
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
    """Games of a match, in order; after a stop, the finished ones."""

    def check() -> None:
        if is_stopped():
            raise StopPlaying

    played: list[StoredGame] = []
    with (
        stopping(is_stopped) as stop,
        Table(terms, resources, before_move=check, stop=stop) as table,
    ):
        try:
            for number in numbers:
                played.append(table.play(number))  # noqa: PERF401 (a stop keeps what was played)
        except StopPlaying as stop:
            if stop.error is not None:
                raise stop.error from None
    return played


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a unit that has ended: one object about its games.

    Args:
        job: the job, of this kind.
        unit: one of its units.
    """
    del job
    match_id, first = unit.payload["match"], unit.payload["first"]
    if unit.state is UnitState.DONE and unit.result:
        needless = unit.result == games.NEEDLESS
        yield summary(match_id, first, []) if needless else dict(unit.result)
        return
    place: dict[str, JsonValue] = {
        "match": match_id,
        "games": [first, first + unit.payload["count"]],
    }
    yield place | error_object(line=unit.seq + 1, error=f"not played: {unit.error or unit.state}")
