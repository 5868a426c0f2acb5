"""Plays the sources' matches again, as jobs, which can be interrupted and resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.arena.seeds import match_seed
from cli.shell import signals
from db import games
from db.records.terms import MatchTerms
from workers.matches.planning import find_job, plan_matches
from workers.matches.reports.reading import Judging, read_report
from workers.runners.local import LocalRunner

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.matches.match import SourceMatch
    from db.database import Database
    from workers.matches.reports.report import MatchReport

NOT_JUDGED = Judging(games=0, least_ply=0)


def play(
    database: Database,
    matches: Sequence[SourceMatch],
    *,
    least_games: int,
    seed: int,
    threads: int,
) -> Iterator[tuple[SourceMatch, MatchReport]]:
    """Play matches one after the other; those that were begun are continued.

    Args:
        database: the database for the games.
        matches: matches of the sources.
        least_games: the smallest number of games of a match, even if the source played fewer.
        seed: the seed of all random choices.
        threads: the number of threads that play.

    Raises:
        KeyboardInterrupt: the run was interrupted; finished games are kept.
    """
    for match in matches:
        terms = MatchTerms(
            player_a=match.a,
            player_b=match.b,
            games=max(match.games, least_games),
            seats=match.seats,
            seed=match_seed(seed, match.a, match.b),
        )
        job_id = find_job(database, [terms])
        if job_id is None:
            job_id = plan_matches(database, [terms], label=match.name).job_id
        with LocalRunner(database, job_id, threads=threads) as runner:
            runner.wait(lambda _progress: signals.check())
        with database.read() as session:
            (played,) = games.matches_of_job(session, job_id)
        yield match, read_report(database, played.id, NOT_JUDGED)
