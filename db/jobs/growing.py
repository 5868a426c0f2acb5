"""Jobs that grow: the results of their units decide which units are wanted next.

Whoever completes a unit of such a job plans its next ones in the same transaction::

    hold_job          nobody else plans or ends units until the end of the transaction
    complete          the unit that was worked on
    read_units        the units that have changed since the last time
    add_more_units, change_unit, cut_units
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sqlalchemy import or_, select, update

from db.clock import now
from db.errors import JobStateError
from db.jobs.changes import FREE, NEVER_ANNOUNCED
from db.jobs.conditions import FAILED, LEASED, QUEUED
from db.jobs.ending import lock_job, lock_leased
from db.jobs.planning import append_units
from db.models import Job, Unit
from db.records.jobs import JobState, UnitState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import Row
    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.jobs import Json, UnitPlan


_LISTED: Final = 1_000
"""Units that one statement names: both databases limit the number of parameters."""


class GrowingUnit(NamedTuple):
    """A unit as the planner of its job sees it."""

    unit_id: int
    seq: int
    state: UnitState
    payload: Json
    result: Json | None
    """Set when done."""


class GrowingJob(NamedTuple):
    """The question of a job, in whatever state it is."""

    job_id: int
    state: JobState
    params: Json


def hold_job(session: Session, job_id: int) -> JobState:
    """The job's state, which nobody else can change until the end of the transaction.

    Its leased units are locked as well, in the order of their numbers: the one that is going to be
    completed and those that may be cut.

    Raises:
        JobNotFoundError: there is none of this number.
    """
    state = lock_job(session, job_id)
    lock_leased(session, Unit.job_id == job_id)
    return state


def read_units(
    session: Session, job_id: int, *, after_seq: int = -1, seqs: Collection[int] = ()
) -> list[GrowingUnit]:
    """The units of a job behind ``after_seq``, and others by their places in it.

    Those that can be claimed come in the order in which they will be: first those whose message is
    under way, as in ``claim_next_piece``, then as in ``announce`` and ``claim``.
    """
    listed = sorted(seq for seq in set(seqs) if seq <= after_seq)
    batches = [listed[first : first + _LISTED] for first in range(0, len(listed), _LISTED)]
    query = select(
        Unit.announced_at, Unit.id, Unit.seq, Unit.state, Unit.payload, Unit.result
    ).where(Unit.job_id == job_id)
    rows: list[Row[Any]] = []
    for condition in (Unit.seq > after_seq, *map(Unit.seq.in_, batches)):
        rows += session.execute(query.where(condition))
    rows.sort(key=lambda row: (row.announced_at <= NEVER_ANNOUNCED, row.announced_at, row.seq))
    return [GrowingUnit(row.id, row.seq, row.state, row.payload, row.result) for row in rows]


def add_more_units(session: Session, job_id: int, plans: Iterable[UnitPlan]) -> int:
    """Append units to a held job that runs or is being planned; returns their number.

    Raises:
        JobStateError: the job has ended or was cancelled.
    """
    state = lock_job(session, job_id)
    if state not in {JobState.PLANNING, JobState.RUNNING}:
        raise JobStateError(
            f"job {job_id} is {state}: units cannot be added", job_id=job_id, state=state
        )
    return append_units(session, job_id, plans)


def change_unit(session: Session, unit_id: int, payload: Json) -> bool:
    """Give a queued unit another payload.

    Returns:
        False, with nothing changed: somebody has claimed it meanwhile.
    """
    changed = session.connection().execute(
        update(Unit).where(Unit.id == unit_id, QUEUED).values(payload=payload)
    )
    return changed.rowcount == 1


def cut_units(session: Session, unit_ids: Collection[int], result: Json) -> int:
    """End units that are not wanted any more: queued, leased or failed ones; returns their number.

    They become done, with this result and without any nodes or time. A worker on such a unit finds
    its lease lost, as after a cancel.
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
    """The started jobs of a kind, the newest first."""
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
