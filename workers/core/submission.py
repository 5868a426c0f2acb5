"""Making a job from a stream of units of any length, in constant memory."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION
from db import jobs
from workers.core.resumption import refuse_second

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from c4core.notation import BoardSize
    from db.database import Database, Session
    from db.records.jobs import Json, UnitPlan

UNITS_PER_TRANSACTION: Final = 32
"""Units that are written at a time: this bounds the memory, and how long other writers wait."""


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
    """Make a job and start it; returns its number.

    A few units take one transaction. If planning fails or is interrupted after the job was made,
    the job is cancelled.

    Args:
        database: keeps the job.
        plans: those of its units, in order; they may be made while they are read.
        kind: the job's.
        board: that of all its positions.
        params: the job's.
        label: a name for people.
        priority: jobs of higher priority are worked on first.
        only_one: make no second job of this kind with these parameters.
        on_added: called with the units that have just been written.

    Raises:
        AlreadyAskedError: with ``only_one``, there is such a job.
        StorageError: the database cannot be written.
    """
    remaining = iter(plans)
    # Planning the first units may take long. The job is made afterwards, or it would seem to be
    # abandoned.
    batch = list(islice(remaining, UNITS_PER_TRANSACTION))

    def make(session: Session) -> int:
        if only_one:
            refuse_second(session, kind=kind, board=board, params=params)
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
        database.run(lambda session: jobs.cancel_job(session, job_id))
        raise
    return job_id


def _add(session: Session, job_id: int, batch: Sequence[UnitPlan]) -> None:
    """Add units to a job that is being planned; start it after the last ones."""
    jobs.add_units(session, job_id, batch)
    if len(batch) < UNITS_PER_TRANSACTION:
        jobs.start_job(session, job_id)
    else:
        jobs.record_planner_heartbeat(session, job_id)
