"""Finding the job that an earlier command has made for the same question, and resuming it.

Commands that are given at the same moment find no job, and all try to make one. One of them
succeeds, and the others then find its job (:func:`find_or_plan`).
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypedDict

from c4core.version import ENGINE_VERSION
from db import jobs
from db.records.jobs import JobState
from workers.errors import AlreadyAskedError

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from c4core.notation import BoardSize
    from db.database import Database, Session
    from db.records.jobs import Json

DIGEST_BYTES: Final = 16

LOOK_SECONDS: Final = 0.2
"""Seconds between two looks at a job that another process is planning."""


class _Asked(TypedDict):
    """The fields by which jobs are found."""

    kind: str
    board: BoardSize
    params: Json
    engine_version: int


def _asked(kind: str, board: BoardSize, params: Json) -> _Asked:
    return {"kind": kind, "board": board, "params": params, "engine_version": ENGINE_VERSION}


def topic_of(purpose: str, keys: NDArray[np.uint64]) -> str:
    """The topic by which a job is found again: exactly these positions, for this purpose."""
    digest = hashlib.blake2b(keys.astype("<u8").tobytes(), digest_size=DIGEST_BYTES)
    return f"{purpose} {digest.hexdigest()}"


def find_or_plan(find: Callable[[], int | None], plan: Callable[[], int]) -> int:
    """The number of the job that ``find`` finds, or else of the one that ``plan`` makes.

    Args:
        find: as :func:`find_and_resume`.
        plan: makes a job, and calls :func:`refuse_second` before it does.
    """
    while True:
        found = find()
        if found is not None:
            return found
        with suppress(AlreadyAskedError):
            return plan()


def refuse_second(
    session: Session,
    *,
    kind: str,
    board: BoardSize,
    params: Json,
    is_usable: Callable[[int], bool] = lambda _job_id: True,
) -> None:
    """Refuse to make a job if there is one for the same; nobody else makes one until the commit.

    Args:
        session: in the transaction that makes the job, before anything else.
        kind: as for ``create_job``, like all that follows.
        board: likewise.
        params: likewise.
        is_usable: whether to accept the job of this number.

    Raises:
        AlreadyAskedError: there is one.
    """
    asked = _asked(kind, board, params)
    jobs.hold_question(session, **asked)
    # In this order: a job that is started between the two queries is found by the second.
    planned = jobs.planned_job(session, **asked)
    job_id = jobs.newest_job(session, **asked)
    is_planned = planned is not None and not planned.is_abandoned
    if is_planned or (job_id is not None and is_usable(job_id)):
        raise AlreadyAskedError


def find_and_resume(database: Database, *, kind: str, board: BoardSize, params: Json) -> int | None:
    """The newest job that asks for exactly this, resumed; None if there is none.

    If another process is planning such a job, this waits for it. If that process has died, its job
    is cancelled, because it will never have all its units.

    Args:
        database: the job's.
        kind: as it was given to ``create_job``, like all that follows.
        board: likewise.
        params: likewise, in the same order.

    Raises:
        StorageError: the database cannot be read or written.
    """
    asked = _asked(kind, board, params)
    while True:
        with database.read() as session:
            job_id = jobs.newest_job(session, **asked)
            planned = jobs.planned_job(session, **asked)
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
    """Queue the cancelled and the failed units of a job again. A job that is done stays done.

    Raises:
        StorageError: the database cannot be written.
    """
    state = database.run(lambda session: jobs.resume_job(session, job_id))
    if state is JobState.FAILED:
        database.run(lambda session: jobs.retry_job(session, job_id))
