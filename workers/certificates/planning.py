"""Jobs of kind ``prove``: found if the same was asked before, or made; and their next units."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from c4core.proof.errors import ClaimError
from c4core.proof.making import frontier
from db import jobs
from db.decoding import decoding
from db.records.jobs import UnitPlan
from workers.certificates.stages import SCORE, Piece, read_payload
from workers.certificates.task import KIND, ProofTask, read_score
from workers.core.resumption import find_and_resume, find_or_plan
from workers.core.submission import submit_units

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from c4core.proof.making import Bound
    from db.database import Database, Session
    from db.records.jobs import Claim, Json


def job_for(
    database: Database, task: ProofTask, *, label: str | None = None, fresh: bool = False
) -> int:
    """The number of the job for a task: of one that was made before, or else of a new one.

    Args:
        database: keeps the job.
        task: the claim.
        label: a name of a new job, for people.
        fresh: make a new one in any case.

    Raises:
        StorageError: the database cannot be read or written.
    """
    plan = partial(plan_job, database, task, label=label, only_one=not fresh)
    return plan() if fresh else find_or_plan(partial(find_job, database, task), plan)


def find_job(database: Database, task: ProofTask) -> int | None:
    """The newest job for this task, if there is one.

    Its cancelled and failed units are queued again.

    Raises:
        StorageError: the database cannot be read or written.
    """
    return find_and_resume(database, kind=KIND, board=task.board, params=task.as_params())


def plan_job(
    database: Database, task: ProofTask, *, label: str | None = None, only_one: bool = False
) -> int:
    """Make a job for a task and start it; returns its number.

    Args:
        database: keeps the job.
        task: the claim.
        label: a name for people.
        only_one: make no second job for the same task.

    Raises:
        AlreadyAskedError: with ``only_one``, there is one that :func:`find_job` finds.
        StorageError: the database cannot be written.
    """
    first = [UnitPlan(SCORE, 1)] if task.is_exact else _trunks(task.bounds())
    return submit_units(
        database,
        first,
        kind=KIND,
        board=task.board,
        params=task.as_params(),
        label=label,
        only_one=only_one,
    )


def go_on(session: Session, claim: Claim, _database: Database) -> None:
    """Plan the units that follow from a completed one: trunks from the score, parts from a trunk.

    Args:
        session: in the transaction that holds the job and has completed a unit of it.
        claim: of that unit.

    Raises:
        DamagedValueError: the result cannot be read.
    """
    if claim.payload.get("stage") == "part":
        return
    task = ProofTask.from_params(claim.params, claim.board)
    (unit,) = jobs.unit_results(session, claim.job_id, after_seq=claim.seq - 1, limit=1)
    plans = list(_following(task, unit.payload, unit.result or {}))
    if plans:
        jobs.add_more_units(session, claim.job_id, plans)


def _following(task: ProofTask, payload: Json, result: Json) -> Iterable[UnitPlan]:
    piece = read_payload(task, payload)
    if piece is None:
        with decoding("the score that a job has found"):
            return _trunks(task.bounds(read_score(result, "score")))
    try:
        firsts, ply = frontier(piece.bound, piece.read_result(result))
    except ClaimError:
        return ()
    return (UnitPlan(Piece(piece.bound, keys, ply).as_payload(), 1) for keys in firsts)


def _trunks(bounds: Iterable[Bound]) -> Iterator[UnitPlan]:
    return (UnitPlan(Piece(bound).as_payload(), 1) for bound in bounds)
