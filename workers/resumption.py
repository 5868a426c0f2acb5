"""Finding the job that was made for the same before, and going on with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.version import ENGINE_VERSION
from db import jobs
from db.jobs import JobState

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from db.database import Database
    from db.jobs import Json


def find_and_resume(database: Database, *, kind: str, board: BoardSize, params: Json) -> int | None:
    """The newest job that asks for exactly this, set going; None if there is none.

    Args:
        database: where it would live.
        kind: as it was given to ``create_job``, like all that follows.
        board: likewise.
        params: likewise, in the same order.

    Raises:
        StorageError: the database cannot be read or written.
    """
    with database.read() as session:
        job_id = jobs.newest_job(
            session, kind=kind, board=board, params=params, engine_version=ENGINE_VERSION
        )
    if job_id is not None:
        set_going(database, job_id)
    return job_id


def set_going(database: Database, job_id: int) -> None:
    """Queue again what was cancelled or given up of a job. One that is done stays done.

    Raises:
        StorageError: the database cannot be written.
    """
    state = database.run(lambda session: jobs.resume_job(session, job_id))
    if state is JobState.FAILED:
        database.run(lambda session: jobs.retry_job(session, job_id))
