"""Deep jobs: making them, and planning their next units whenever one is completed.

There are always at least as many queued units as threads, so a free thread finds the least
speculative of the remaining pieces. A queued unit is only a place in the queue: every result
decides anew which piece it holds, until a worker claims it. It is cut off only if no piece is left
for it. A leased unit is cut off as soon as its result is needless: its worker looks for that four
times a second, and still stores the bounds that it has proven by then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from c4core.version import ENGINE_VERSION
from db import evaluations, jobs, registry
from db.records.evaluations import StoredEvaluation
from db.records.jobs import JobState, UnitPlan, UnitState
from workers.deep.memory import Memory
from workers.deep.newest_jobs import NewestJobs
from workers.deep.task import KIND, DeepTask
from workers.deep.units import CUT, payload_of, piece_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from db.database import Database, Session
    from db.jobs import GrowingJob, GrowingUnit
    from db.records.jobs import Claim
    from workers.deep.tree import Piece

SPARE: Final = 2
"""The least number of queued units: another worker may come."""

_memories: NewestJobs[Memory] = NewestJobs()


def submit(
    database: Database,
    task: DeepTask,
    *,
    threads: int = 1,
    label: str | None = None,
) -> int:
    """Make a job and start it; returns its number. Stored evaluations may prove it at once.

    Args:
        database: keeps the job.
        task: the question; about a game that goes on.
        threads: the expected number of threads that work on it.
        label: a name for people.

    Raises:
        StorageError: the database cannot be written.
    """
    return database.run(lambda session: _make(session, task, threads=threads, label=label))


def join_or_submit(
    database: Database, task: DeepTask, *, threads: int = 1, label: str | None = None
) -> tuple[int, bool]:
    """The running job for the same question, or else a new one.

    If several callers ask the same at the same moment, one of them makes the job.

    Args:
        database: as of :func:`submit`, like all that follows.
        task: likewise.
        threads: likewise.
        label: likewise; a running job keeps its own.

    Returns:
        Its number, and whether it was made.

    Raises:
        StorageError: the database cannot be written.
    """

    def join_or_make(session: Session) -> tuple[int, bool]:
        jobs.hold_question(
            session,
            kind=KIND,
            board=task.board,
            params=task.question(),
            engine_version=ENGINE_VERSION,
        )
        job = _find(session, task)
        if job is not None and job.state is JobState.RUNNING:
            return job.job_id, False
        return _make(session, task, threads=threads, label=label), True

    return database.run(join_or_make)


def find_job(database: Database, task: DeepTask) -> int | None:
    """The newest job that asks the same of the same position, or its mirror image; or None."""
    with database.read() as session:
        job = _find(session, task)
    return None if job is None else job.job_id


def _find(session: Session, task: DeepTask) -> GrowingJob | None:
    found = jobs.jobs_of_kind(session, kind=KIND, board=task.board, engine_version=ENGINE_VERSION)
    like = (job for job in found if task.asks_like(DeepTask.from_params(job.params, task.board)))
    return next(like, None)


def _make(session: Session, task: DeepTask, *, threads: int, label: str | None) -> int:
    job_id = jobs.create_job(
        session,
        kind=KIND,
        board=task.board,
        params=task.as_params(),
        label=label,
        engine_version=ENGINE_VERSION,
    )
    plan(session, job_id, Memory(job_id, task), task, threads=threads)
    jobs.start_job(session, job_id)
    return job_id


def go_on(session: Session, claim: Claim, database: Database) -> None:
    """Plan a job's next units.

    Args:
        session: in the transaction that holds the job and has completed a unit of it.
        claim: of that unit.
        database: the session's.

    Raises:
        ContradictionError: the proven bounds cannot all be true. The transaction must be rolled
        back.
    """
    task = DeepTask.from_params(claim.params, claim.board)
    plan(session, claim.job_id, _memory(database, claim.job_id, task), task)


def plan(
    session: Session, job_id: int, memory: Memory, task: DeepTask, *, threads: int = 1
) -> None:
    """Bring the units of a held job up to date with its proven bounds.

    Args:
        session: in a write transaction.
        job_id: the job's number.
        memory: the job's.
        task: its question.
        threads: threads that work on it, beside those of registered workers.
    """
    memory.read(session)
    leased = memory.pieces(UnitState.LEASED)
    # Failed pieces wait for a retry of the job; other results may make them needless.
    taken = leased | memory.pieces(UnitState.FAILED)
    workers = max(threads, len(leased) + 1, _registered_threads(session))
    # This comes before needs(): it splits the nodes that the results have made hard.
    wanted = memory.wanted(session, max(workers, SPARE), taken)
    needed = memory.tree.needs(taken)
    _cut(session, [unit for unit in memory.open.values() if _is_needless(unit, needed)])
    _line_up(session, job_id, memory, wanted)
    _store_backed_up(session, memory, task)


def _line_up(session: Session, job_id: int, memory: Memory, wanted: Sequence[Piece]) -> None:
    """Give the wanted pieces to the queued units, in this order."""
    queued = [unit for unit in memory.open.values() if unit.state is UnitState.QUEUED]
    for unit, piece in zip(queued, wanted, strict=False):
        if unit.payload != payload_of(piece):
            # This does nothing if a worker has just claimed the unit: the piece comes later.
            jobs.change_unit(session, unit.unit_id, payload_of(piece))
    _cut(session, queued[len(wanted) :])
    more = [UnitPlan(payload_of(piece), 1) for piece in wanted[len(queued) :]]
    if more:
        jobs.add_more_units(session, job_id, more)


def _is_needless(unit: GrowingUnit, needed: Collection[Piece]) -> bool:
    """Whether the result of a unit that is not queued is not needed any more."""
    return unit.state is not UnitState.QUEUED and piece_of(unit.payload) not in needed


def _cut(session: Session, units: Sequence[GrowingUnit]) -> None:
    jobs.cut_units(session, [unit.unit_id for unit in units], CUT)


def _store_backed_up(session: Session, memory: Memory, task: DeepTask) -> None:
    """Store the bounds that follow for split positions."""
    width, height = task.board
    rows = [
        StoredEvaluation(
            node.key, width, height, node.ply, node.lower, node.upper, node.nodes, ENGINE_VERSION
        )
        for node in memory.tree.take_backed_up()
    ]
    evaluations.store(session, task.board, rows)


def _registered_threads(session: Session) -> int:
    return sum(worker.threads for worker in registry.live_workers(session))


def _memory(database: Database, job_id: int, task: DeepTask) -> Memory:
    """This process's memory of a job.

    A memory in doubt is replaced: the server may have ended the transaction of a thread that still
    plans with it and does not know that yet.
    """
    return _memories.get(
        database,
        job_id,
        lambda: Memory(job_id, task),
        is_good=lambda memory: not memory.is_in_doubt,
    )
