"""Reading what a report needs from the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from db import games, jobs
from db.records.jobs import JobState
from workers.matches.judging import judged_games
from workers.matches.report import make_report

if TYPE_CHECKING:
    from cli.reports.options import Judging
    from db.database import Database
    from workers.matches.report import MatchReport


def read_report(database: Database, match_id: int, judging: Judging) -> MatchReport:
    """The report of a match.

    Args:
        database: where it is.
        match_id: its number.
        judging: which moves are held against exact scores; such as are not stored are left out.

    Raises:
        MatchNotFoundError: there is no such match.
    """
    with database.read() as session:
        match = games.get_match(session, match_id)
        results = games.read_results(session, match_id)
        elapsed = None
        if match.job_state is JobState.DONE and match.job_id is not None:
            job = jobs.get_job(session, match.job_id)
            is_alone = len(games.matches_of_job(session, match.job_id)) == 1
            if is_alone and job.started_at is not None and job.finished_at is not None:
                elapsed = job.finished_at - job.started_at
    least_ply = judging.least_ply_on(match.terms.board)
    judged = judged_games(database, match_id, games=judging.games) if judging.is_wanted else ()
    moves = (
        (one.game.a_side, [move for move in one.moves if move and move.ply >= least_ply])
        for one in judged
    )
    return make_report(match, results, moves, judged_from=least_ply, elapsed=elapsed)


def check_matches(database: Database, matches: tuple[int, ...]) -> None:
    """Refuse numbers that no match has.

    Raises:
        MatchNotFoundError: names the first of them.
    """
    from db import games

    with database.read() as session:
        for match in matches:
            games.get_terms(session, match)
