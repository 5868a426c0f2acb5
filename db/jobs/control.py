"""Jobs: create them and their units, end, cancel, resume and delete them; the states of units.

Most jobs are planned completely before they start. Others grow: the results of their units decide
which units come next. The process that completes a unit of such a job plans its next units in the
same transaction::

    lock_job          no other process plans or ends units until the end of the transaction
    complete          the finished unit
    add_units, or cut_units

Conditions on units are written so that the partial indexes of :class:`db.models.Unit` apply. Their
states are literals in the SQL: with a parameter, neither database could use a partial index.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    and_,
    delete,
    func,
    insert,
    literal_column,
    or_,
    select,
    update,
)

from db.errors import JobNotFoundError, JobStateError
from db.models import Job, Unit
from db.records.jobs import JobState, UnitState
from db.sql import is_number, now

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import ColumnExpressionArgument, Select
    from sqlalchemy.orm import InstrumentedAttribute, Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json, UnitPlan

QUEUED: Final[ColumnElement[bool]] = Unit.state == literal_column("'queued'")
LEASED: Final[ColumnElement[bool]] = Unit.state == literal_column("'leased'")
FAILED: Final[ColumnElement[bool]] = Unit.state == literal_column("'failed'")
DONE: Final[ColumnElement[bool]] = Unit.state == literal_column("'done'")
CANCELLED: Final[ColumnElement[bool]] = Unit.state == literal_column("'cancelled'")

FREE: Final[dict[str, Any]] = {"owner": None, "lease_until": None}
"""Values of a unit that is not leased."""

_ENDED: Final = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)

_BATCH: Final = 1_000
"""Number of units that are held in memory and inserted together."""

_AT_A_TIME: Final = 10
"""Maximum number of jobs that are deleted at a time: each may have many units."""


def lease_ran_out(session: Session) -> ColumnElement[bool]:
    """The condition that a unit is leased, and its lease has run out."""
    return and_(LEASED, Unit.lease_until < now(session))


def lease_lives(session: Session) -> ColumnElement[bool]:
    """The condition that a unit is leased, and its lease has not run out."""
    return and_(LEASED, Unit.lease_until >= now(session))


def first_open(job_id: int | InstrumentedAttribute[int]) -> ColumnElement[int | None]:
    """The number of a unit of a job that is queued or leased; NULL if there is none."""
    # One statement: between two, a unit may go from leased to queued, and both would miss it.
    queued, leased = (
        first_unit(and_(condition, Unit.job_id == job_id), order).scalar_subquery()
        for condition, order in ((QUEUED, Unit.seq), (LEASED, Unit.lease_until))
    )
    return func.coalesce(queued, leased)


def has_open_unit(session: Session, job_id: int) -> bool:
    """Whether a job has a unit that is queued or leased."""
    return session.scalar(select(first_open(job_id))) is not None


def has_failed_unit(session: Session, job_id: int) -> bool:
    """Return whether a unit of a job has failed."""
    failed = first_unit(and_(FAILED, Unit.job_id == job_id), Unit.seq)
    return session.scalar(failed) is not None


def first_unit(condition: ColumnElement[bool], order: ColumnExpressionArgument[Any]) -> Select[int]:
    """Select the number of the first unit that meets a condition; empty if none does.

    It uses ORDER BY and LIMIT instead of EXISTS. PostgreSQL answers EXISTS by reading the table if
    old statistics suggest that every second unit meets the condition.
    """
    return select(Unit.id).where(condition).order_by(order).limit(1)


def state_of(session: Session, job_id: int) -> JobState:
    """Return the state of a job.

    Raises:
        JobNotFoundError: no job has this number.
    """
    return _state(session, job_id, select(Job.state))


def lock_job(session: Session, job_id: int) -> JobState:
    """Lock a job and return its state, which cannot change until the end of the transaction.

    A transaction that writes several units must lock their job first; otherwise two of them may
    wait for each other.

    Raises:
        JobNotFoundError: no job has this number.
    """
    return _state(session, job_id, select(Job.state).with_for_update())


def _state(session: Session, job_id: int, query: Select[JobState]) -> JobState:
    state = session.scalar(query.where(Job.id == job_id)) if is_number(job_id) else None
    if state is None:
        raise JobNotFoundError(job_id)
    return state


def wrong_state(job_id: int, state: JobState, reason: str) -> JobStateError:
    """The error for an operation that is not possible in a job's present state."""
    return JobStateError(f"job {job_id} is {state}: {reason}", job_id=job_id, state=state)


def update_job(session: Session, job_id: int, **values: object) -> None:
    """Write to the row of a job."""
    session.connection().execute(update(Job).where(Job.id == job_id).values(**values))


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
        JobNotFoundError: the job was deleted.
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
) -> int | None:
    """Return the newest started job with exactly these arguments of ``create_job``, or None.

    The order within ``params`` matters.
    """
    query = (
        select(Job.id)
        .where(
            Job.kind == kind,
            Job.width == board.width,
            Job.height == board.height,
            Job.params == params,
            Job.engine_version == engine_version,
            Job.started_at.is_not(None),
        )
        .order_by(Job.id.desc())
        .limit(1)
    )
    return session.scalar(query)


class GrowingJob(NamedTuple):
    """The parameters of a job, in any state."""

    job_id: int
    state: JobState
    params: Json


def cut_units(session: Session, job_id: int, result: Json) -> int:
    """End the units of a job that wait or have failed, because they are not needed any more.

    They become done, with this result and without any nodes or time. Return their number.
    """
    done = session.connection().execute(
        update(Unit)
        .where(Unit.job_id == job_id, or_(QUEUED, FAILED))
        .values(state=UnitState.DONE, result=result, error=None, finished_at=now(session), **FREE)
    )
    return done.rowcount


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


def finish_if_complete(session: Session, job_id: int) -> JobState:
    """Close a running job that has no work left; return its state.

    It becomes ``done``, or ``failed`` if a unit failed. Call this after ``complete`` or ``fail``,
    in a transaction of its own: if two workers complete the last two units at the same time,
    neither of their transactions sees the other's unit as done. Calling it again changes nothing.

    Raises:
        JobNotFoundError: no job has this number.
    """
    state = state_of(session, job_id)
    # Checked before the lock is taken: every worker comes here after every unit.
    if state is not JobState.RUNNING or has_open_unit(session, job_id):
        return state
    return close_if_complete(session, job_id, lock_job(session, job_id))


def close_if_complete(session: Session, job_id: int, state: JobState) -> JobState:
    """Close a locked job if it runs and has no work left; return its state."""
    if state is not JobState.RUNNING or has_open_unit(session, job_id):
        return state
    state = JobState.FAILED if has_failed_unit(session, job_id) else JobState.DONE
    update_job(session, job_id, state=state, finished_at=now(session))
    return state


def cancel_job(session: Session, job_id: int) -> JobState:
    """Cancel a job. Claims on its units are void from now on; stored evaluations stay.

    Cancelling a cancelled job changes nothing.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: the job has ended.
    """
    state = lock_job(session, job_id)
    if state is JobState.CANCELLED:
        return state
    if state not in {JobState.PLANNING, JobState.RUNNING}:
        raise wrong_state(job_id, state, "there is nothing to cancel")
    session.connection().execute(
        update(Unit)
        .where(Unit.job_id == job_id, or_(QUEUED, LEASED))
        .values(state=UnitState.CANCELLED, **FREE)
    )
    update_job(session, job_id, state=JobState.CANCELLED, finished_at=now(session))
    return JobState.CANCELLED


def resume_job(session: Session, job_id: int) -> JobState:
    """Resume a job: queue the units that were cancelled, have failed or whose lease has expired.

    They get all their attempts again, because the user who resumes the job has seen what stopped
    them. Live leases are kept, since a worker may hold them. A job that is done stays done.

    Returns:
        ``running``, or the state in which the job has ended.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: its planning was never finished, so units are missing.
    """
    state = lock_job(session, job_id)
    if session.scalar(select(Job.started_at).where(Job.id == job_id)) is None:
        raise wrong_state(
            job_id,
            state,
            f"its units are not all planned; if its command has ended, give that command again, "
            f"and c4 jobs delete {job_id}",
        )
    if state is JobState.DONE:
        return state
    stopped = or_(CANCELLED, FAILED, lease_ran_out(session))
    again = {"state": UnitState.QUEUED, "attempts": 0, "error": None, **FREE}
    session.connection().execute(update(Unit).where(Unit.job_id == job_id, stopped).values(again))
    update_job(session, job_id, state=JobState.RUNNING, finished_at=None)
    return close_if_complete(session, job_id, JobState.RUNNING)


def set_priority(session: Session, job_id: int, priority: int) -> None:
    """Change the priority of a job, in any state; see ``create_job``.

    Raises:
        JobNotFoundError: no job has this number.
    """
    lock_job(session, job_id)
    update_job(session, job_id, priority=priority)


def delete_job(session: Session, job_id: int) -> None:
    """Delete a job and its units.

    Raises:
        JobNotFoundError: no job has this number.
        JobStateError: the job is running.
    """
    state = lock_job(session, job_id)
    if state is JobState.RUNNING:
        raise wrong_state(job_id, state, "cancel it first")
    session.connection().execute(delete(Job).where(Job.id == job_id))


def prune_jobs(session: Session, older_than: float, *, priority: int | None = None) -> int:
    """Delete some jobs that ended more than this many seconds ago; return their number.

    With ``priority``, delete only jobs of this priority or more. Call it again until it returns 0.
    """
    old = (
        select(Job.id)
        .where(Job.state.in_(_ENDED), Job.finished_at < now(session) - older_than)
        .order_by(Job.id)
        .limit(_AT_A_TIME)
        .with_for_update(skip_locked=True)
    )
    if priority is not None:
        old = old.where(Job.priority >= priority)
    return session.connection().execute(delete(Job).where(Job.id.in_(old))).rowcount
