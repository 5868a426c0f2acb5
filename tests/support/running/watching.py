"""Watching the job of a command that runs, to interrupt or kill it in the midst of its work."""

from db import jobs
from db.database import Database
from db.records.jobs import UnitState
from tests.support.running.waiting import await_that


def units(url: str) -> dict[UnitState, int]:
    """The units of the newest job by their state; none while there is no job."""
    with Database.open(url) as database, database.read() as session:
        newest = jobs.list_jobs(session, limit=1)
    return dict(newest[0].units) if newest else dict.fromkeys(UnitState, 0)


def await_work(url: str, done: int) -> None:
    """Wait until somebody works, and so many units are done."""
    await_that(
        lambda: (now := units(url))[UnitState.LEASED] and now[UnitState.DONE] >= done, seconds=120
    )
