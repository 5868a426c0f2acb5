"""Create a job from a stream of units, or find the existing one for the same question.

Several commands that start at the same moment find no job, and all try to create one. One of them
succeeds, and the others then find its job (:func:`find_or_plan`).
"""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final, TypedDict

from c4core.version import ENGINE_VERSION
from db import jobs
from db.errors import JobStateError
from db.records.jobs import JobState
from workers.errors import AlreadyAskedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from c4core.batch import Keys
    from c4core.notation import BoardSize
    from db.database import Database, Session
    from db.records.jobs import Json, UnitPlan

UNITS_PER_TRANSACTION: Final = 32
"""Units written at a time; this limits the memory, and how long other writers wait."""

DIGEST_BYTES: Final = 16

PLAN_POLL_SECONDS: Final = 0.2
"""Time between two reads of a job that another process is planning."""


def submit_units(
    database: Database,
    plans: Iterable[UnitPlan],
    *,
    kind: str,
    board: BoardSize,
    params: Json,
    label: str | None = None,
    priority: int = 0,
    only_one: bool = False,
    on_added: Callable[[Sequence[UnitPlan]], object] = lambda _plans: None,
) -> int:
    """Create a job of these units and start it; return its number.

    The plans may be made while they are read. A few units take one transaction; ``on_added`` is
    called with the units written last. If planning fails or is interrupted after the job was
    created, the job is deleted. With ``only_one``, raise AlreadyAskedError if a job of this kind
    with these parameters exists.
    """
    remaining = iter(plans)
    # Planning the first units may take long; with a job, the planner would seem to be gone.
    batch = list(islice(remaining, UNITS_PER_TRANSACTION))

    def make(session: Session) -> int:
        if only_one:
            refuse_second(session, kind=kind, board=board, params=params)
        jobs.drop_abandoned(session)
        job_id = jobs.create_job(
            session,
            kind=kind,
            board=board,
            params=params,
            label=label,
            engine_version=ENGINE_VERSION,
            priority=priority,
        )
        _add(session, job_id, batch)
        return job_id

    job_id = database.run(make)
    try:
        on_added(batch)
        while len(batch) == UNITS_PER_TRANSACTION:
            batch = list(islice(remaining, UNITS_PER_TRANSACTION))
            database.run(partial(_add, job_id=job_id, batch=batch))
            on_added(batch)
    except BaseException:
        database.run(lambda session: jobs.drop_job(session, job_id))
        raise
    return job_id


def _add(session: Session, job_id: int, batch: Sequence[UnitPlan]) -> None:
    """Add units to a job that is being planned; start it after the last ones."""
    jobs.add_units(session, job_id, batch)
    if len(batch) < UNITS_PER_TRANSACTION:
        jobs.start_job(session, job_id)


class _Asked(TypedDict):
    """The fields by which jobs are found."""

    kind: str
    board: BoardSize
    params: Json
    engine_version: int


def _asked(kind: str, board: BoardSize, params: Json) -> _Asked:
    return {"kind": kind, "board": board, "params": params, "engine_version": ENGINE_VERSION}


def topic_of(purpose: str, keys: Keys) -> str:
    """Return the topic by which a job is found again: exactly these positions, for this purpose."""
    if keys.dtype == object:  # on a wide board
        data = b"".join(key.to_bytes(16, "little") for key in keys.tolist())
    else:
        data = keys.astype("<u8").tobytes()
    digest = hashlib.blake2b(data, digest_size=DIGEST_BYTES)
    return f"{purpose} {digest.hexdigest()}"


def find_or_plan(find: Callable[[], int | None], plan: Callable[[], int]) -> int:
    """Return the number of the job that ``find`` finds or, if there is none, ``plan`` creates.

    ``plan`` has to call :func:`refuse_second` before it creates the job.
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
    """Raise AlreadyAskedError if a job for the same question exists and ``is_usable`` accepts it.

    Call this first in the transaction that creates a job. Until the commit, no other process
    creates one for this question.
    """
    asked = _asked(kind, board, params)
    jobs.hold_question(session, **asked)
    jobs.drop_abandoned(session)
    # In this order: if a job is started between the two queries, the second one finds it.
    planned = jobs.newest_job(session, **asked, is_planned=True)
    job_id = jobs.newest_job(session, **asked)
    if planned is not None or (job_id is not None and is_usable(job_id)):
        raise AlreadyAskedError


def find_and_resume(database: Database, *, kind: str, board: BoardSize, params: Json) -> int | None:
    """Find the newest job that asks exactly this question, and resume it; None if none exists.

    If another process is planning such a job, this waits for it. If that process has died, its job
    is deleted, because it will never have all its units. The order within ``params`` matters.
    """
    asked = _asked(kind, board, params)
    while True:
        with database.read() as session:
            job_id = jobs.newest_job(session, **asked)
            planned = jobs.newest_job(session, **asked, is_planned=True)
        if job_id is not None:
            restart_job(database, job_id)
            return job_id
        if planned is None:
            return None
        if planned not in database.run(jobs.drop_abandoned):
            time.sleep(PLAN_POLL_SECONDS)


def refuse_abandoned(database: Database, job_id: int) -> None:
    """Delete the jobs whose planner is gone, because nobody can work on them.

    Raises:
        JobStateError: the job was one of them.
    """
    if job_id in database.run(jobs.drop_abandoned):
        raise JobStateError(
            f"job {job_id} was deleted: its process ended before all units were planned, so give "
            "its command again",
            job_id=job_id,
            state=JobState.PLANNING,
        )


def restart_job(database: Database, job_id: int) -> None:
    """Queue the cancelled and the failed units of a job again. A job that is done stays done."""
    refuse_abandoned(database, job_id)

    def restart(session: Session) -> None:
        jobs.resume_job(session, job_id)
        jobs.retry_job(session, job_id)

    database.run(restart)
