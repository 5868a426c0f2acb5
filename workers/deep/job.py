"""Deep jobs: create them, work on a shift, and offer shifts to more threads.

A unit of the job is a shift: one thread searches for some time. At first there is a shift for every
thread. Later there is always one in the queue for a thread that becomes free: a thread that takes
the last one adds another. A shift ends after :data:`SHIFT_SECONDS`, and the thread takes the next
one, unless another job is more urgent. Once the score is decided, the queued shifts are cut off,
and the others end by themselves.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from c4core.notation import format_moves
from c4core.version import ENGINE_VERSION
from db import evaluations
from db.jobs import control, queue, watching
from db.records.jobs import JobState, UnitPlan, UnitState
from workers.answers.lines import error_object
from workers.core.kinds import JobKind, UnitOutcome
from workers.deep.proof import best_line, complete_proof
from workers.deep.search import join
from workers.deep.task import CUT, KIND, DeepTask

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from c4core.lines import JsonValue
    from c4core.solver import Solver
    from db.database import Database, Session
    from db.jobs.control import GrowingJob
    from db.records.jobs import Claim, JobInfo, Json, UnitResult

SHIFT_SECONDS: Final = 20.0
"""A thread searches this long before it looks for more urgent jobs."""


def solve_unit(
    claim: Claim,
    solver: Solver,
    database: Database,
    is_stopped: Callable[[], bool],
    *,
    redis: str | None = None,
) -> UnitOutcome:
    """Take part in the search until the score is decided or the time is over.

    Costly bounds are written meanwhile.
    """
    task = DeepTask.from_params(claim.params, claim.board)
    database.run(lambda session: _offer_shift(session, claim.job_id))
    began, nodes = time.monotonic(), 0
    part = join(database, claim, solver, redis)
    with part.shift() as search:
        # stop() ends all searches of the solver, even if only one of them must end.
        while not (search.is_decided or is_stopped()):
            left = began + SHIFT_SECONDS - time.monotonic()
            if left <= 0:
                break
            nodes += search.work(time_limit=left).nodes
    lower, upper = search.bounds
    seconds = time.monotonic() - began
    nodes += part.take_first_nodes()
    result: Json = {"lower": lower, "upper": upper, "nodes": nodes, "seconds": seconds}
    learned = part.evaluation()
    if part.may_finish():
        learned += complete_proof(database, task.start, (lower, upper), solver, search.nodes)
        if lower == upper:
            line = best_line(database, task.start, lower, solver)
            result["line"] = format_moves(line)
    return UnitOutcome(
        evaluations=learned,
        result=result,
        nodes=nodes,
        seconds=seconds,
        is_complete=search.is_decided or not is_stopped(),
    )


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a finished shift: one object, or none if it was not needed."""
    shown: dict[str, JsonValue] = {"board": str(job.board), "moves": job.params["moves"]}
    if unit.state is not UnitState.DONE or not unit.result:
        error = f"not searched: {unit.error or unit.state}"
        yield shown | error_object(line=unit.seq + 1, error=error)
    elif unit.result != CUT:
        yield shown | unit.result


def join_or_submit(
    database: Database,
    task: DeepTask,
    *,
    threads: int = 1,
    label: str | None = None,
    origin: str | None = None,
) -> tuple[int, bool]:
    """Find the running job for the same question, or create a new one.

    ``threads`` is the number of threads that work on it at once, besides the threads of registered
    workers. ``origin`` becomes a parameter of a new job, by which its creator finds it again.
    Returns the number of the job, and whether it was created.
    """

    def join_or_make(session: Session) -> tuple[int, bool]:
        job = _find(session, task)
        if job is not None and job.state is JobState.RUNNING:
            return job.job_id, False
        job_id = control.create_job(
            session,
            kind=KIND,
            board=task.board,
            params=task.as_params() | ({} if origin is None else {"origin": origin}),
            label=label,
            engine_version=ENGINE_VERSION,
        )
        if not _is_decided(session, task):
            registered = sum(worker.threads for worker in watching.live_workers(session))
            control.add_units(session, job_id, [_SHIFT] * max(threads, registered))
        control.start_job(session, job_id)
        return job_id, True

    return database.run(join_or_make)


def find_job(database: Database, task: DeepTask) -> int | None:
    """The newest job with the same question about the position or its mirror image, or None."""
    with database.read() as session:
        job = _find(session, task)
    return None if job is None else job.job_id


def _find(session: Session, task: DeepTask) -> GrowingJob | None:
    found = control.jobs_of_kind(
        session, kind=KIND, board=task.board, engine_version=ENGINE_VERSION
    )
    asked = task.question()
    like = (
        job for job in found if DeepTask.from_params(job.params, task.board).question() == asked
    )
    return next(like, None)


def go_on(session: Session, claim: Claim, _database: Database) -> None:
    """Cut off the queued shifts if the score is decided, or else offer one.

    The session is in the transaction that has locked the job and completed a shift.
    """
    if _is_decided(session, DeepTask.from_params(claim.params, claim.board)):
        control.cut_units(session, claim.job_id, CUT)
    else:
        _offer_shift(session, claim.job_id)


_SHIFT: Final = UnitPlan({}, 1)


def _offer_shift(session: Session, job_id: int) -> None:
    """Add a shift if none is queued, for another thread."""
    own = queue.Eligible(ENGINE_VERSION, job_ids=[job_id])
    if not queue.is_queued(session, own) and control.lock_job(session, job_id) is JobState.RUNNING:
        control.add_units(session, job_id, [_SHIFT])


def _is_decided(session: Session, task: DeepTask) -> bool:
    row = evaluations.find(session, task.board, task.start.canonical_key)
    return row is not None and (
        row.lower == row.upper or (task.weak and (row.lower > 0 or row.upper < 0))
    )


DEEP: Final = JobKind(KIND, "shift", solve_unit, unit_objects, go_on, shares_searches=True)
"""Proves the score of one position."""
