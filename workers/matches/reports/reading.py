"""Reading the data for a match's report, and choosing the moves that are judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from db import games, jobs
from db.records.jobs import JobState
from workers.answers.books import shipped_book
from workers.matches.judging import judged_games, plan_judging
from workers.matches.reports.report import make_report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c4core.notation import BoardSize
    from db.database import Database
    from workers.analyze.job import Submission
    from workers.matches.reports.report import MatchReport

HARDEST_EMPTY: Final = 34
"""A position with more empty squares takes long to solve; on 7x6, one with up to 7 stones. The
scores of all columns take 3 s with 2 stones, 0.2 s with 8, 0.02 s with 12."""

LONGEST_LABEL: Final = 60
"""Characters of a label in a list of jobs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """Which moves are judged."""

    games: int | None
    """The number of first games of each match; None for all."""
    least_ply: int | None
    """Only moves with at least so many stones on the board; None for those that are cheap to
    judge."""

    @property
    def is_wanted(self) -> bool:
        """Whether any moves are judged."""
        return self.games != 0

    def least_ply_on(self, board: BoardSize) -> int:
        """The fewest stones that are on the board when a move is judged."""
        if self.least_ply is not None:
            return self.least_ply
        easy = max(0, board.cells - HARDEST_EMPTY)
        book = shipped_book(board)
        return 0 if book is not None and book.info.last_ply >= easy else easy


def judging_jobs(
    database: Database, matches: Iterable[int], judging: Judging
) -> Iterator[Submission | None]:
    """The jobs that find the scores for judging moves, one for each board.

    A job is found or planned when the caller asks for it; work on it until it is done.

    Args:
        database: has the matches, and keeps the jobs.
        matches: their numbers.
        judging: which of their moves are judged.

    Yields:
        A job, or None if all the scores of a board are known.

    Raises:
        MatchNotFoundError: there is no such match.
        StorageError: the database failed.
    """
    if not judging.is_wanted:
        return
    by_board: dict[BoardSize, list[int]] = {}
    with database.read() as session:
        for match in matches:
            by_board.setdefault(games.get_terms(session, match).board, []).append(match)
    for board, numbers in by_board.items():
        yield plan_judging(
            database,
            numbers,
            games=judging.games,
            least_ply=judging.least_ply_on(board),
            label=f"judge match {', '.join(map(str, numbers))}"[:LONGEST_LABEL],
        )


def read_report(database: Database, match_id: int, judging: Judging) -> MatchReport:
    """The report of a match.

    Args:
        database: where it is.
        match_id: its number.
        judging: which moves are judged; moves whose scores are not stored are left out.

    Raises:
        MatchNotFoundError: there is no such match.
        StorageError: the database cannot be read.
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


def check_matches(database: Database, matches: Iterable[int]) -> None:
    """Refuse numbers without a match.

    Raises:
        MatchNotFoundError: names the first of them.
        StorageError: the database cannot be read.
    """
    with database.read() as session:
        for match in matches:
            games.get_terms(session, match)
