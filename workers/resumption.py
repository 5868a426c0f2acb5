"""Finding the job that was made for the same before, and going on with it."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final, TypedDict

from c4core.version import ENGINE_VERSION
from db import jobs
from db.jobs import JobState

if TYPE_CHECKING:
    from c4core.notation import BoardSize
    from db.database import Database
    from db.jobs import Json, PlannedJob
    from db.session import Session

LOOK_SECONDS: Final = 0.2
"""Between two looks at a job that another process is planning."""


class _Asked(TypedDict):
    """What jobs are found by."""

    kind: str
    board: BoardSize
    params: Json
    engine_version: int


def find_and_resume(database: Database, *, kind: str, board: BoardSize, params: Json) -> int | None:
    """The newest job that asks for exactly this, set going; None if there is none.

    One that another process is planning at this moment is waited for. If that process has died, its
    job is cancelled: it will never have all its units.

    Args:
        database: where it would live.
        kind: as it was given to ``create_job``, like all that follows.
        board: likewise.
        params: likewise, in the same order.

    Raises:
        StorageError: the database cannot be read or written.
    """

    def look(session: Session) -> tuple[int | None, PlannedJob | None]:
        asked: _Asked = {
            "kind": kind,
            "board": board,
            "params": params,
            "engine_version": ENGINE_VERSION,
        }
        return jobs.newest_job(session, **asked), jobs.planned_job(session, **asked)

    while True:
        with database.read() as session:
            job_id, planned = look(session)
        if job_id is not None:
            set_going(database, job_id)
            return job_id
        if planned is None:
            return None
        if planned.is_abandoned:
            database.run(partial(jobs.cancel_abandoned, job_id=planned.job_id))
        else:
            time.sleep(LOOK_SECONDS)


def set_going(database: Database, job_id: int) -> None:
    """Queue again what was cancelled or given up of a job. One that is done stays done.

    Raises:
        StorageError: the database cannot be written.
    """
    state = database.run(lambda session: jobs.resume_job(session, job_id))
    if state is JobState.FAILED:
        database.run(lambda session: jobs.retry_job(session, job_id))
