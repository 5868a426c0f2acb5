"""Operations of a claim's holder on its unit: prolong its lease, complete, hand it back, fail it.

Each of them is fenced: it changes nothing if the unit was claimed anew, queued again or cancelled
since. Workers also add to the measured costs of searches, by engine, board, question and ply.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import and_, bindparam, or_, select, update

from db.evaluations.storing import send
from db.jobs.planning import hold_job
from db.jobs.state import FREE, LEASED, lease_end
from db.models import MeasuredCost, Unit
from db.records.evaluations import Cost
from db.records.jobs import MAX_ATTEMPTS, UnitState
from db.sql import dialect_of, insert_into, now

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.orm import Session

    from c4core.notation import BoardSize
    from db.records.evaluations import StoredEvaluation
    from db.records.jobs import Claim, Json

_ERROR_LENGTH: Final = 2_000
"""Number of characters of an error that are kept."""


def prolong(session: Session, claims: Sequence[Claim], lease_seconds: float) -> list[bool]:
    """Prolong leases by ``lease_seconds`` from now; return which claims still hold their units.

    This never waits. The lease of a unit that another transaction is writing keeps its end.
    """
    # All transactions lock units in the order of their numbers, so that there is no deadlock.
    names = [(claim.unit_id, claim.fence) for claim in claims]
    ours = or_(*(and_(Unit.id == unit_id, Unit.fence == fence) for unit_id, fence in names))
    free = select(Unit.id).where(LEASED, ours).order_by(Unit.id).with_for_update(skip_locked=True)
    prolonged = session.connection().execute(
        update(Unit)
        .where(Unit.id.in_(free), LEASED)
        .values(lease_until=lease_end(session, lease_seconds))
        .returning(Unit.id, Unit.fence)
    )
    done = {(unit_id, fence) for unit_id, fence in prolonged}
    if len(done) == len(claims):
        return [True] * len(claims)
    held = are_held(session, claims)
    return [name in done or is_held for name, is_held in zip(names, held, strict=True)]


def are_held(session: Session, claims: Sequence[Claim]) -> list[bool]:
    """Return whether each claim still holds its unit. This only reads, and never waits."""
    ids = [claim.unit_id for claim in claims]
    found = session.execute(select(Unit.id, Unit.fence).where(Unit.id.in_(ids), LEASED))
    held = {(row.id, row.fence) for row in found}
    return [(claim.unit_id, claim.fence) in held for claim in claims]


def complete(
    session: Session,
    claim: Claim,
    *,
    evaluations: Sequence[StoredEvaluation],
    result: Json | None,
    nodes: int,
    seconds: float,
    grows: bool = False,
) -> bool:
    """Store the results and mark the unit as done, both or neither.

    The evaluations are sent before the unit is locked, so a process that freezes while it sends
    them does not block others.

    Args:
        session: in a write transaction of its own.
        claim: the claim on the unit.
        evaluations: on the claim's board.
        result: kept with the unit, for the job's output.
        nodes: number of nodes searched for this unit.
        seconds: time spent on it.
        grows: lock the unit's job until the end of the transaction, as ``hold_job`` does.

    Returns:
        False, with nothing written, if another worker has the unit by now, or it was cancelled.

    Raises:
        ContradictionError: as ``store``. Let it end the transaction, then ``fail`` the unit.
    """
    merge = send(session, claim.board, evaluations)
    if grows:
        hold_job(session, claim.job_id)
    done = _change(
        session,
        claim,
        state=UnitState.DONE,
        result=result,
        error=None,
        nodes=nodes,
        seconds=seconds,
        finished_at=now(session),
        **FREE,
    )
    if done:
        merge()
    return done


def release(session: Session, claim: Claim, *, payload: Json | None = None) -> bool:
    """Hand the unit back: it is queued again, and the attempt does not count.

    ``payload`` replaces the unit's payload with the remaining work; None keeps it. Return False if
    the claim did not hold the unit any more.
    """
    return _change(
        session,
        claim,
        state=UnitState.QUEUED,
        attempts=claim.attempts - 1,
        **({} if payload is None else {"payload": payload}),
        **FREE,
    )


def fail(
    session: Session, claim: Claim, error: str, *, limit: int = MAX_ATTEMPTS
) -> UnitState | None:
    """Hand the unit back with an error: it is queued again, or ``failed`` at attempt ``limit``.

    Return its new state; None, with nothing written, if the claim did not hold the unit any more.
    """
    state = UnitState.FAILED if claim.attempts >= limit else UnitState.QUEUED
    is_ours = _change(session, claim, state=state, error=error[:_ERROR_LENGTH], **FREE)
    return state if is_ours else None


def _change(session: Session, claim: Claim, **values: object) -> bool:
    """Write to the unit if the claim still holds it."""
    changed = session.connection().execute(
        update(Unit)
        .where(Unit.id == claim.unit_id, Unit.fence == claim.fence, LEASED)
        .values(**values)
    )
    return changed.rowcount == 1


def add_costs(
    session: Session,
    *,
    engine_version: int,
    board: BoardSize,
    columns: bool,
    costs: Mapping[int, Cost],
) -> None:
    """Add new costs to the stored sums, by ply.

    All workers add to the same few rows, and would wait for each other's commits. In PostgreSQL a
    sum that another transaction is changing is therefore skipped. The sums then cover only a
    sample, which is enough for the mean.
    """
    if not costs:
        return
    place = _place(engine_version, board, columns=columns)
    known = set(session.scalars(select(MeasuredCost.ply).filter_by(**place)))
    _add_to_known(session, place, {ply: costs[ply] for ply in sorted(costs.keys() & known)})
    new = [{**place, "ply": ply, **costs[ply]._asdict()} for ply in sorted(costs.keys() - known)]
    # Only missing rows are inserted: an insert waits for the transaction that updates the same row.
    if new:
        insert = insert_into(dialect_of(session), MeasuredCost).on_conflict_do_nothing()
        session.connection().execute(insert, new)


def read_costs(
    session: Session, *, engine_version: int, board: BoardSize, columns: bool
) -> dict[int, Cost]:
    """Return the stored costs by ply; plies without a measurement are left out."""
    query = select(MeasuredCost.ply, MeasuredCost.positions, MeasuredCost.seconds)
    rows = session.execute(query.filter_by(**_place(engine_version, board, columns=columns)))
    return {ply: Cost(positions, seconds) for ply, positions, seconds in rows}


def _add_to_known(session: Session, place: dict[str, int], costs: Mapping[int, Cost]) -> None:
    """Add to existing rows. Rows that another transaction has locked are skipped."""
    if not costs:
        return
    free = select(MeasuredCost.ply).filter_by(**place, ply=bindparam("of_ply"))
    session.connection().execute(
        update(MeasuredCost)
        .filter_by(**place)
        .where(MeasuredCost.ply.in_(free.with_for_update(skip_locked=True)))
        .values(
            positions=MeasuredCost.positions + bindparam("more_positions"),
            seconds=MeasuredCost.seconds + bindparam("more_seconds"),
        ),
        [
            {"of_ply": ply, "more_positions": cost.positions, "more_seconds": cost.seconds}
            for ply, cost in costs.items()
        ],
    )


def _place(engine_version: int, board: BoardSize, *, columns: bool) -> dict[str, int]:
    return {"engine_version": engine_version, **board._asdict(), "columns": columns}
