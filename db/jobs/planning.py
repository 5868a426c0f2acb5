"""Planning: create jobs and their units, also while a job runs.

Most jobs are planned completely before they start. Others grow: the results of their units decide
which units come next. The process that completes a unit of such a job plans its next units in the
same transaction::

    lock_job          no other process plans or ends units until the end of the transaction
    complete          the finished unit
    read_units        the units that have changed since the last time
    add_units, change_unit, cut_units
"""

from __future__ import annotations

import hashlib
import json
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import delete, func, insert, or_, select, update

from db.jobs.state import (
    FAILED,
    FREE,
    LEASED,
    QUEUED,
    close_if_complete,
    is_abandoned,
    lock_job,
    update_job,
    wrong_state,
)
from db.models import Job, MeasuredCost, Unit
from db.records.evaluations import Cost
from db.records.jobs import JobState, UnitState
from db.sql import dialect_of, insert_into, now

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

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
        seen_at=now(session),
    )
    return session.connection().execute(statement.returning(Job.id)).scalar_one()


def add_units(session: Session, job_id: int, plans: Iterable[UnitPlan]) -> int:
    """Append units to a job that is being planned or runs; return their number.

    A later call appends after the existing units, so that a long plan can be made in several short
    transactions. Each of them is a sign of life of the planner.

    Raises:
        JobNotFoundError: the planner was silent for so long that the job was dropped.
        JobStateError: the job has ended or was cancelled.
    """
    state = lock_job(session, job_id)
    if state is JobState.PLANNING:
        update_job(session, job_id, seen_at=now(session))
    elif state is not JobState.RUNNING:
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


def newest_job(
    session: Session,
    *,
    kind: str,
    board: BoardSize,
    params: Json,
    engine_version: int,
    is_planned: bool = False,
) -> int | None:
    """Return the newest started job with exactly these arguments of ``create_job``, or None.

    With ``is_planned``, return the newest one that is being planned instead.
    """
    query = (
        select(Job.id)
        .where(
            Job.kind == kind,
            Job.width == board.width,
            Job.height == board.height,
            Job.params == params,
            Job.engine_version == engine_version,
            Job.state == JobState.PLANNING if is_planned else Job.started_at.is_not(None),
        )
        .order_by(Job.id.desc())
        .limit(1)
    )
    return session.scalar(query)


def drop_abandoned(session: Session) -> list[int]:
    """Delete the jobs whose planner is gone; return their numbers.

    They will never have all their units, so nobody can work on them.
    """
    gone = select(Job.id).where(is_abandoned(session)).with_for_update(skip_locked=True)
    deleted = delete(Job).where(Job.id.in_(gone)).returning(Job.id)
    return list(session.connection().execute(deleted).scalars())


def drop_job(session: Session, job_id: int) -> None:
    """Delete a job that is being planned, for example because its input turned out to be wrong."""
    session.connection().execute(
        delete(Job).where(Job.id == job_id, Job.state == JobState.PLANNING)
    )


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


def add_costs(
    session: Session,
    *,
    engine_version: int,
    board: BoardSize,
    columns: bool,
    costs: Mapping[int, Cost],
) -> None:
    """Add measured costs of searches to the stored sums, by ply.

    All workers add to the same few rows, and wait for each other's commits: use a short transaction
    of its own. The rows are locked in the order of the plies, so that there is no deadlock.
    """
    if not costs:
        return
    place = _place(engine_version, board, columns=columns)
    rows = [{**place, "ply": ply, **costs[ply]._asdict()} for ply in sorted(costs)]
    insert = insert_into(dialect_of(session), MeasuredCost)
    names = ("positions", "seconds")
    added = {name: getattr(MeasuredCost, name) + insert.excluded[name] for name in names}
    keys = MeasuredCost.__table__.primary_key
    session.connection().execute(
        insert.on_conflict_do_update(index_elements=list(keys), set_=added), rows
    )


def read_costs(
    session: Session, *, engine_version: int, board: BoardSize, columns: bool
) -> dict[int, Cost]:
    """Return the stored costs by ply; plies without a measurement are left out."""
    query = select(MeasuredCost.ply, MeasuredCost.positions, MeasuredCost.seconds)
    rows = session.execute(query.filter_by(**_place(engine_version, board, columns=columns)))
    return {ply: Cost(positions, seconds) for ply, positions, seconds in rows}


def _place(engine_version: int, board: BoardSize, *, columns: bool) -> dict[str, int]:
    return {"engine_version": engine_version, **board._asdict(), "columns": columns}
