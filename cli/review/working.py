"""Finding the scores that reviews need: here and at once, or by a job."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from c4core.lines import BadLine
from cli.output.render import count
from cli.shell.background import run_in_background
from cli.work.detaching import leave
from cli.work.job import finish_job
from workers.matches.reviews.game import review_game
from workers.matches.reviews.many import plan_reviews, reviews_of
from workers.positions.desk import Desk
from workers.positions.stop import Stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from c4core.arena.files import GameEntry
    from cli.review.naming import Games
    from cli.shell.settings import Settings
    from cli.work.backend import Backend
    from db.database import Database
    from workers.matches.reviews.reviewed import Review

KNOWN = "the scores of all these positions are known"


@contextmanager
def direct(
    database: Database | None, found: Games, backend: Backend, time_limit: float | None
) -> Iterator[Iterator[Review | BadLine]]:
    """Reviews in this process, one after the other, in a context that ends their searches.

    Args:
        database: knows scores, and keeps those that are found; None for neither.
        found: the games.
        backend: threads and table.
        time_limit: seconds for each game; None for no limit.
    """
    desk = Desk(database, threads=backend.threads, table_mb=backend.table_mb)
    try:
        yield (_reviewed(entry, desk, time_limit) for entry in found.entries)
    finally:
        desk.close()


def by_job(
    settings: Settings, database: Database, found: Games, label: str | None, backend: Backend
) -> Iterator[Review | BadLine]:
    """Reviews once a job has found the scores.

    Args:
        settings: how much talk.
        database: keeps the job.
        found: the games.
        label: the job's.
        backend: who works on it.

    Raises:
        KeyboardInterrupt: after the job was left in order.
    """
    planned = plan_reviews(database, found.games, label=label)
    if not planned:
        settings.tell(KNOWN)
    for job in planned:
        settings.say(f"reviewing: {count(job.positions, 'position')} to solve")
        finish_job(settings, database, job.job_id, backend, makes="the reviews")
    reviews = reviews_of(database, found.games)
    for entry in found.entries:
        yield entry if isinstance(entry, BadLine) else next(reviews)


def leave_job(
    settings: Settings, database: Database, found: Games, label: str | None, backend: Backend
) -> None:
    """Make the job, and leave it to others.

    Args:
        settings: how much talk.
        database: keeps the job.
        found: the games.
        label: the job's.
        backend: who shall work on it.
    """
    planned = plan_reviews(database, found.games, label=label)
    if not planned:
        settings.say(f"{KNOWN}: there is nothing left to do")
    for job in planned:
        leave(settings, database, job.job_id, backend, afterwards="writes the reviews")


def _reviewed(entry: GameEntry | BadLine, desk: Desk, time_limit: float | None) -> Review | BadLine:
    if isinstance(entry, BadLine):
        return entry
    stop = Stop()
    return run_in_background(
        partial(review_game, entry, desk, budget=time_limit, stop=stop), stop.set
    )
