"""Deep jobs: create them, work on a unit, and plan the next units when one is completed.

There are always at least as many queued units as threads, so a free thread finds the least
speculative of the remaining pieces. A queued unit is only a place in the queue: every result
redistributes the pieces among the queued units, until a worker claims them. A queued unit is cut
off only if no piece is left for it. A leased unit is cut off as soon as its result is unnecessary:
its worker checks for that four times a second, and still stores the bounds proven so far.

A process caches the tree and the open units of a job. The tree can be rebuilt at any time from the
job's parameters, its units and the stored evaluations. The cache is faster: only units that were
open or unknown last time are read. The cache is valid only if the transaction that filled it is
committed, because that transaction may itself have written some of the data. Until the commit the
cache is in doubt, and another reader rebuilds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.evaluation import score_limits
from c4core.position import Position
from c4core.version import ENGINE_VERSION
from db import evaluations, jobs
from db.database import after_commit
from db.records.evaluations import StoredEvaluation
from db.records.jobs import JobState, UnitPlan, UnitState
from workers.answers.find import NEARLY, look_up
from workers.answers.lines import error_object
from workers.core.kinds import JobKind, UnitOutcome
from workers.deep.sharing import JobCache, sharing
from workers.deep.task import CUT, KIND, DeepTask, payload_of, piece_of
from workers.deep.tree import Bounds, Fact, Piece

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from c4core.lines import JsonValue
    from c4core.solver import Solver
    from db.database import Database, Session
    from db.jobs import GrowingJob, GrowingUnit
    from db.records.jobs import Claim, JobInfo, UnitResult
    from workers.deep.tree import Known, Tree


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of searching one piece."""

    bounds: Bounds
    nodes: int
    seconds: float
    is_hard: bool
    """Whether the nodes were used up before the question was decided."""


def ask(
    position: Position,
    beta: int,
    solver: Solver,
    *,
    known: Bounds,
    node_limit: int,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Finding:
    """Search until the score is known to be at least ``beta``, or known to be less.

    An interrupted search is resumed unless ``is_stopped``; then the question may be open although
    the piece is not hard. ``node_limit`` may be exceeded slightly.
    """
    bounds, nodes, seconds = known, 0, 0.0
    while not bounds.decides(beta):
        if nodes >= NEARLY * node_limit:
            return Finding(bounds, nodes, seconds, is_hard=True)
        if is_stopped():
            break
        found = solver.test(position, beta, node_limit=node_limit - nodes)
        bounds = Bounds(max(bounds.lower, found.lower), min(bounds.upper, found.upper))
        nodes += found.nodes
        seconds += found.seconds
    return Finding(bounds, nodes, seconds, is_hard=False)


def solve_unit(
    claim: Claim, solver: Solver, database: Database, is_stopped: Callable[[], bool]
) -> UnitOutcome:
    """Search a piece until it is decided, or has proven too hard for one unit.

    Evaluations are looked up in the database; only the bounds for other processes are written.
    """
    task = DeepTask.from_params(claim.params, claim.board)
    piece = piece_of(claim.payload)
    width, height = claim.board
    position = Position.from_key(piece.key, width=width, height=height)
    stored = look_up(database, [position]).get(piece.key)
    limits = Bounds(*score_limits(position.ply, width, height))
    with sharing(database, claim, solver):
        finding = ask(
            position,
            piece.beta,
            solver,
            known=limits if stored is None else Bounds(stored.lower, stored.upper),
            node_limit=task.unit_nodes,
            is_stopped=is_stopped,
        )
    lower, upper = finding.bounds
    is_news = finding.nodes > 0 and finding.bounds != limits
    return UnitOutcome(
        evaluations=[
            StoredEvaluation(
                piece.key, width, height, position.ply, lower, upper, finding.nodes, ENGINE_VERSION
            )
        ]
        if is_news
        else [],
        result={
            "lower": lower,
            "upper": upper,
            "hard": finding.is_hard,
            "nodes": finding.nodes,
            "seconds": finding.seconds,
        },
        nodes=finding.nodes,
        seconds=finding.seconds,
        costs={},  # limited null-window searches would mislead the planning of batches
        with_columns=False,
        is_complete=finding.is_hard or finding.bounds.decides(piece.beta),
    )


def unit_objects(job: JobInfo, unit: UnitResult) -> Iterator[dict[str, JsonValue]]:
    """The output of a finished unit: one object, or none if it was cut off."""
    piece = piece_of(unit.payload)
    shown: dict[str, JsonValue] = {"key": piece.key, "board": str(job.board), "beta": piece.beta}
    if unit.state is not UnitState.DONE or not unit.result:
        error = f"not solved: {unit.error or unit.state}"
        yield shown | error_object(line=unit.seq + 1, error=error)
    elif unit.result != CUT:
        yield shown | unit.result


class Memory:
    """A cache of a job's tree and units, as of the last reading.

    ``open`` has the units that are not done, by their number in the job; claimable units are in the
    order in which they will be claimed. ``decided``, ``hard`` and ``cut`` count pieces that were
    decided, split because they were too hard, or became unnecessary.
    """

    tree: Tree
    open: dict[int, GrowingUnit]
    decided: int
    hard: int
    cut: int
    _last_seq: int
    _doubt: object | None
    """Identifies a reading whose transaction may not be committed yet; None if there is none."""

    def __init__(self, job_id: int, task: DeepTask) -> None:
        self._job_id = job_id
        self._task = task
        self._forget()

    @property
    def is_in_doubt(self) -> bool:
        """Whether the transaction of the last reading may not be committed."""
        return self._doubt is not None

    def read(self, session: Session) -> None:
        """Read all changes since the last reading; ContradictionError if results contradict."""
        if self._doubt is not None:
            self._forget()
        self._doubt_until_committed(session)
        units = jobs.read_units(
            session, self._job_id, after_seq=self._last_seq, seqs=list(self.open)
        )
        if self._last_seq < 0:
            self._learn_stored(session, [self.tree.root.key])
        self.open = {unit.seq: unit for unit in units if unit.state is not UnitState.DONE}
        self._last_seq = max([self._last_seq, *(unit.seq for unit in units)])
        for unit in units:
            if unit.state is UnitState.DONE:
                self._take(unit)

    def pieces(self, *states: UnitState) -> set[Piece]:
        """The pieces of open units in these states."""
        return {piece_of(unit.payload) for unit in self.open.values() if unit.state in states}

    def wanted(self, session: Session, number: int, running: Collection[Piece]) -> list[Piece]:
        """Call :meth:`Tree.wanted` with the stored evaluations."""
        return self.tree.wanted(number, running=running, known=self.known(session))

    def known(self, session: Session) -> Known:
        """A function that looks up stored evaluations for the tree."""

        def known(keys: Sequence[int]) -> dict[int, Fact]:
            found = evaluations.lookup(session, self._task.board, keys)
            return {
                key: Fact(Bounds(row.lower, row.upper), row.nodes) for key, row in found.items()
            }

        return known

    def _doubt_until_committed(self, session: Session) -> None:
        doubt = self._doubt = object()

        def trust() -> None:
            # Another thread may have read since then, in a transaction that is not committed yet.
            if self._doubt is doubt:
                self._doubt = None

        after_commit(session, trust)

    def _take(self, unit: GrowingUnit) -> None:
        if unit.result is None or unit.result == CUT:
            self.cut += 1
            return
        key = piece_of(unit.payload).key
        is_hard = unit.result["hard"]
        bounds = Bounds(unit.result["lower"], unit.result["upper"])
        nodes = unit.result["nodes"]
        if is_hard:
            self.hard += 1
            self.tree.split(key)
        else:
            self.decided += 1
        self.tree.learn(key, bounds, nodes)

    def _learn_stored(self, session: Session, keys: Sequence[int]) -> None:
        for key, row in evaluations.lookup(session, self._task.board, keys).items():
            self.tree.learn(key, Bounds(row.lower, row.upper), row.nodes)

    def _forget(self) -> None:
        self.tree = self._task.tree()
        self.open = {}
        self.decided = self.hard = self.cut = 0
        self._last_seq = -1
        self._doubt = None


SPARE: Final = 2
"""Minimum number of queued units, in case another worker starts."""

_memories: JobCache[Memory] = JobCache()


def submit(
    database: Database,
    task: DeepTask,
    *,
    threads: int = 1,
    label: str | None = None,
) -> int:
    """Create a job and start it; return its number. Stored evaluations may prove it at once.

    The task is about an open game. ``threads`` is the expected number of threads that work on it.
    """
    return database.run(lambda session: _make(session, task, threads=threads, label=label))


def join_or_submit(
    database: Database,
    task: DeepTask,
    *,
    threads: int = 1,
    label: str | None = None,
    origin: str | None = None,
) -> tuple[int, bool]:
    """Find the running job for the same question, or create a new one.

    If several callers ask the same question at the same moment, one of them creates the job.
    ``origin`` becomes a parameter of a new job, by which its creator finds it again.
    Returns the number of the job, and whether it was created.
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
        return _make(session, task, threads=threads, label=label, origin=origin), True

    return database.run(join_or_make)


def find_job(database: Database, task: DeepTask) -> int | None:
    """The newest job with the same question about the position or its mirror image, or None."""
    with database.read() as session:
        job = _find(session, task)
    return None if job is None else job.job_id


def _find(session: Session, task: DeepTask) -> GrowingJob | None:
    found = jobs.jobs_of_kind(session, kind=KIND, board=task.board, engine_version=ENGINE_VERSION)
    like = (job for job in found if task.asks_like(DeepTask.from_params(job.params, task.board)))
    return next(like, None)


def _make(
    session: Session,
    task: DeepTask,
    *,
    threads: int,
    label: str | None,
    origin: str | None = None,
) -> int:
    job_id = jobs.create_job(
        session,
        kind=KIND,
        board=task.board,
        params=task.as_params() | ({} if origin is None else {"origin": origin}),
        label=label,
        engine_version=ENGINE_VERSION,
    )
    plan(session, job_id, Memory(job_id, task), task, threads=threads)
    jobs.start_job(session, job_id)
    return job_id


def go_on(session: Session, claim: Claim, database: Database) -> None:
    """Plan the next units of a job, in the transaction that has locked it and completed a unit.

    Raises:
        ContradictionError: the proven bounds contradict each other. The caller must roll the
            transaction back.
    """
    task = DeepTask.from_params(claim.params, claim.board)
    plan(session, claim.job_id, _memory(database, claim.job_id, task), task)


def plan(
    session: Session, job_id: int, memory: Memory, task: DeepTask, *, threads: int = 1
) -> None:
    """Update the units of a locked job according to its proven bounds, in a write transaction.

    ``threads`` is the number of threads that work on it, besides the registered workers' threads.
    """
    memory.read(session)
    leased = memory.pieces(UnitState.LEASED)
    # Failed pieces wait for a retry of the job; other results may make them unnecessary.
    taken = leased | memory.pieces(UnitState.FAILED)
    workers = max(threads, len(leased) + 1, _registered_threads(session))
    # This must precede needs(): it splits the nodes that the results have marked as hard.
    wanted = memory.wanted(session, max(workers, SPARE), taken)
    needed = memory.tree.needs(taken)
    _cut(session, [unit for unit in memory.open.values() if _is_needless(unit, needed)])
    _line_up(session, job_id, memory, wanted)
    _store_backed_up(session, memory, task)


def _line_up(session: Session, job_id: int, memory: Memory, wanted: Sequence[Piece]) -> None:
    """Assign the wanted pieces to the queued units, in this order."""
    queued = [unit for unit in memory.open.values() if unit.state is UnitState.QUEUED]
    for unit, piece in zip(queued, wanted, strict=False):
        if unit.payload != payload_of(piece):
            # This has no effect if a worker has claimed the unit meanwhile: the piece comes later.
            jobs.change_unit(session, unit.unit_id, payload_of(piece))
    _cut(session, queued[len(wanted) :])
    more = [UnitPlan(payload_of(piece), 1) for piece in wanted[len(queued) :]]
    if more:
        jobs.add_units(session, job_id, more)


def _is_needless(unit: GrowingUnit, needed: Collection[Piece]) -> bool:
    """Whether the result of a unit that is not queued is no longer needed."""
    return unit.state is not UnitState.QUEUED and piece_of(unit.payload) not in needed


def _cut(session: Session, units: Sequence[GrowingUnit]) -> None:
    jobs.cut_units(session, [unit.unit_id for unit in units], CUT)


def _store_backed_up(session: Session, memory: Memory, task: DeepTask) -> None:
    """Store the bounds of split positions that follow from their children."""
    width, height = task.board
    rows = [
        StoredEvaluation(
            node.key, width, height, node.ply, node.lower, node.upper, node.nodes, ENGINE_VERSION
        )
        for node in memory.tree.take_backed_up()
    ]
    evaluations.store(session, task.board, rows)


def _registered_threads(session: Session) -> int:
    return sum(worker.threads for worker in jobs.live_workers(session))


def _memory(database: Database, job_id: int, task: DeepTask) -> Memory:
    """This process's cache of a job.

    A cache in doubt is replaced. The database server may have ended the transaction of a thread
    that still plans with the cache and has not noticed yet.
    """
    return _memories.get(
        database,
        job_id,
        lambda: Memory(job_id, task),
        is_good=lambda memory: not memory.is_in_doubt,
    )


DEEP: Final = JobKind(KIND, "subposition", solve_unit, unit_objects, go_on, searches_together=True)
"""Proves the value of one position, piece by piece."""
