"""Planning: create jobs and their units, also while a job runs.

Most jobs are planned completely before they start. Others grow: the results of their units decide
which units come next. The process that completes a unit of such a job plans its next units in the
same transaction::

    hold_job          no other process plans or ends units until the end of the transaction
    complete          the finished unit
    read_units        the units that have changed since the last time
    add_more_units, change_unit, cut_units
"""

from __future__ import annotations

import hashlib
import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import func, insert, or_, select, update

from db.jobs.state import (
    FAILED,
    FREE,
    LEASED,
    QUEUED,
    close_if_complete,
    lock_job,
    lock_leased,
    update_job,
    wrong_state,
)
from db.models import Job, Unit
from db.records.jobs import JobState, UnitState
from db.sql import now

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import Row
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json, UnitPlan

_BATCH: Final = 1_000
"""Number of units that are held in memory and inserted together."""

_LISTED: Final = 1_000
"""Maximum number of units in one statement: both databases limit the number of parameters."""


def create_job(
    session: Session,
    *,
    kind: str,
    board: BoardSize,
    params: Json,
    label: str | None = None,
    engine_version: int,
    priority: int = 0,
) -> int:
    """Create a job in state ``planning``; return its number.

    Args:
        session: in a write transaction.
        kind: decides how its units' payloads are read.
        board: the board of all its positions.
        params: the parameters that all units share.
        label: a name for users.
        engine_version: only workers with an engine of this version get its units.
        priority: jobs of higher priority are worked on first.
    """
    statement = insert(Job).values(
        kind=kind,
        width=board.width,
        height=board.height,
        state=JobState.PLANNING,
        priority=priority,
        label=label,
        params=params,
        engine_version=engine_version,
        created_at=now(session),
    )
    return session.connection().execute(statement.returning(Job.id)).scalar_one()


def add_units(session: Session, job_id: int, plans: Iterable[UnitPlan]) -> int:
    """Append units to a job that is being planned, in constant memory; return their number.

    A later call appends after the existing units, so that a long plan can be made in several short
    transactions.

    Raises:
        JobStateError: the job is not being planned (any more): it was started or cancelled.
    """
    return _append_units(session, job_id, plans, {JobState.PLANNING})


def _append_units(
    session: Session, job_id: int, plans: Iterable[UnitPlan], states: set[JobState]
) -> int:
    state = lock_job(session, job_id)
    if state not in states:
        raise wrong_state(job_id, state, "units cannot be added")
    last = session.scalar(select(func.max(Unit.seq)).where(Unit.job_id == job_id))
    first = 0 if last is None else last + 1
    seq = first
    source = iter(plans)
    while batch := list(islice(source, _BATCH)):
        rows = [
            {
                "job_id": job_id,
                "seq": number,
                "state": UnitState.QUEUED,
                "payload": plan.payload,
                "positions": plan.positions,
                "expected_seconds": plan.expected_seconds,
                "fence": 0,
                "attempts": 0,
                "nodes": 0,
                "seconds": 0.0,
            }
            for number, plan in enumerate(batch, seq)
        ]
        session.connection().execute(insert(Unit), rows)
        seq += len(batch)
    return seq - first


def start_job(session: Session, job_id: int) -> JobState:
    """End the planning: the job runs, or is done at once if it has no unit.

    Raises:
        JobStateError: the job is not being planned.
    """
    state = lock_job(session, job_id)
    if state is not JobState.PLANNING:
        raise wrong_state(job_id, state, "it cannot be started")
    update_job(session, job_id, state=JobState.RUNNING, started_at=now(session), seen_at=None)
    return close_if_complete(session, job_id, JobState.RUNNING)


def hold_question(
    session: Session, *, kind: str, board: BoardSize, params: Json, engine_version: int
) -> None:
    """Lock this question until the end of the transaction; wait while another transaction holds it.

    Several processes may ask the same question at the same moment, and one job is enough. A process
    that is about to create a job locks the question first, then looks once more for such a job. For
    all other processes, the search for the job and its creation are then one atomic step.

    The transaction must not have locked anything before. Pass the arguments as to ``create_job``;
    ``params`` may be a part of them.
    """
    # In SQLite a write transaction is the only one from its beginning. Questions that share a lock
    # by chance wait for each other, which does no harm.
    if session.connection().dialect.name == "postgresql":
        question = json.dumps([kind, *board, params, engine_version], sort_keys=True)
        digest = hashlib.blake2b(question.encode(), digest_size=8).digest()
        number = int.from_bytes(digest, "big", signed=True)
        session.execute(select(func.pg_advisory_xact_lock(number)))


class GrowingUnit(NamedTuple):
    """A unit from the point of view of its job's planner."""

    unit_id: int
    seq: int
    state: UnitState
    payload: Json
    result: Json | None
    """Set when the unit is done."""


class GrowingJob(NamedTuple):
    """The parameters of a job, in any state."""

    job_id: int
    state: JobState
    params: Json


def hold_job(session: Session, job_id: int) -> JobState:
    """Lock a job and return its state, which cannot change until the end of the transaction.

    Its leased units are locked as well, in the order of their numbers, because one will be
    completed and others may be cut.

    Raises:
        JobNotFoundError: no job has this number.
    """
    state = lock_job(session, job_id)
    lock_leased(session, Unit.job_id == job_id)
    return state


def read_units(
    session: Session, job_id: int, *, after_seq: int = -1, seqs: Collection[int] = ()
) -> list[GrowingUnit]:
    """Return the units of a job after ``after_seq``, and others by their ``seqs``.

    They come in the order in which they will be claimed.
    """
    listed = sorted(seq for seq in set(seqs) if seq <= after_seq)
    batches = [listed[first : first + _LISTED] for first in range(0, len(listed), _LISTED)]
    query = select(Unit.id, Unit.seq, Unit.state, Unit.payload, Unit.result)
    query = query.where(Unit.job_id == job_id)
    rows: list[Row[Any]] = []
    for condition in (Unit.seq > after_seq, *map(Unit.seq.in_, batches)):
        rows += session.execute(query.where(condition))
    units = [GrowingUnit(row.id, row.seq, row.state, row.payload, row.result) for row in rows]
    return sorted(units, key=lambda unit: unit.seq)


def add_more_units(session: Session, job_id: int, plans: Iterable[UnitPlan]) -> int:
    """Append units to a held job that runs or is being planned; return their number.

    Raises:
        JobStateError: the job has ended or was cancelled.
    """
    return _append_units(session, job_id, plans, {JobState.PLANNING, JobState.RUNNING})


def change_unit(session: Session, unit_id: int, payload: Json) -> bool:
    """Replace the payload of a queued unit; return False if it was claimed meanwhile."""
    changed = session.connection().execute(
        update(Unit).where(Unit.id == unit_id, QUEUED).values(payload=payload)
    )
    return changed.rowcount == 1


def cut_units(session: Session, unit_ids: Collection[int], result: Json) -> int:
    """End units that are not needed any more: queued, leased or failed ones; return their number.

    They become done, with this result and without any nodes or time. A worker on such a unit finds
    its lease lost, as after a cancellation.
    """
    ordered = sorted(unit_ids)
    cut = 0
    for first in range(0, len(ordered), _LISTED):
        done = session.connection().execute(
            update(Unit)
            .where(Unit.id.in_(ordered[first : first + _LISTED]), or_(QUEUED, LEASED, FAILED))
            .values(
                state=UnitState.DONE, result=result, error=None, finished_at=now(session), **FREE
            )
        )
        cut += done.rowcount
    return cut


def jobs_of_kind(
    session: Session, *, kind: str, board: BoardSize, engine_version: int
) -> list[GrowingJob]:
    """Return the started jobs of a kind, the newest first."""
    query = (
        select(Job.id, Job.state, Job.params)
        .where(
            Job.kind == kind,
            Job.width == board.width,
            Job.height == board.height,
            Job.engine_version == engine_version,
            Job.started_at.is_not(None),
        )
        .order_by(Job.id.desc())
    )
    return [GrowingJob(*row) for row in session.execute(query)]
