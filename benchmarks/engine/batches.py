"""Whole batches in one call, and the gain of wall-clock time from more threads."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.engine.compare import Entry, compare
from benchmarks.engine.solvers import Run
from c4core import Position, Solver
from cli.bench.measures import thread_counts
from cli.bench.timing import lap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from benchmarks.engine.plan import Plan
    from benchmarks.engine.results import Measurement
    from c4core.batch import BatchAnalysis, BatchEvaluation
    from cli.bench.positions import Scored

    Call = Callable[[NDArray[np.uint64]], BatchEvaluation | BatchAnalysis]

BATCHES = "batches"
THREADS = "threads"
SOLVE = "solve_many"
ANALYZE = "analyze_many"
ONE_POSITION = "one position at a time"
WHOLE_BATCH = "a batch"


def measure_batches(
    plan: Plan, classes: Mapping[str, Sequence[Scored]], *, table_mb: int, threads: int
) -> Iterator[Measurement]:
    """Time ``solve_many`` for every class and ``analyze_many`` for the easy ones.

    Args:
        plan: the numbers of positions and repetitions.
        classes: the positions of each class.
        table_mb: the size of the table, which is empty at the start of each batch.
        threads: the number of threads that share a batch.
    """
    solver = Solver(table_mb=table_mb, threads=threads)
    for name, scored in classes.items():
        share = scored[: min(plan.batch, plan.share(name))]
        keys = _keys(share)
        calls: list[tuple[str, Call]] = [(SOLVE, solver.solve_many)]
        if name.endswith("-easy"):
            calls.append((ANALYZE, solver.analyze_many))
        for what, call in calls:
            yield from compare(
                BATCHES,
                f"{what}, {name}",
                [position.score for position in share],
                [
                    Entry(
                        "C4",
                        partial(_batch, solver, call, keys),
                        plan.repeats,
                        threads,
                    )
                ],
            )


def measure_threads(
    plan: Plan, classes: Mapping[str, Sequence[Scored]], *, table_mb: int, most: int
) -> Iterator[Measurement]:
    """Time a batch, and hard positions one by one, with 1, 2, 4 .. threads in turn.

    Args:
        plan: the numbers of positions and repetitions.
        classes: the positions of each class.
        table_mb: the size of the table.
        most: the largest number of threads.
    """
    solvers = [Solver(table_mb=table_mb, threads=n) for n in thread_counts(most)]
    batch = classes.get("begin-medium", ())[: min(plan.batch, plan.share("begin-medium"))]
    if batch:
        keys = _keys(batch)
        yield from compare(
            THREADS,
            f"{WHOLE_BATCH}, begin-medium",
            [position.score for position in batch],
            [
                Entry(
                    "C4",
                    partial(_batch, solver, solver.solve_many, keys),
                    plan.long_repeats,
                    solver.threads,
                )
                for solver in solvers
            ],
        )
    hard = classes.get("begin-hard", ())[: plan.hard]
    if hard:
        positions = [Position(moves) for moves, _ in hard]
        yield from compare(
            THREADS,
            f"{ONE_POSITION}, begin-hard",
            [position.score for position in hard],
            [
                Entry(
                    "C4",
                    partial(_one_by_one, solver, positions),
                    plan.long_repeats,
                    solver.threads,
                )
                for solver in solvers
            ],
        )


def _keys(scored: Sequence[Scored]) -> NDArray[np.uint64]:
    return np.array([Position(moves).key for moves, _ in scored], dtype=np.uint64)


def _batch(
    solver: Solver,
    call: Call,
    keys: NDArray[np.uint64],
) -> Run:
    solver.clear()
    found, took = lap(lambda: call(keys))
    return Run(found.lower.tolist(), took, int(found.nodes.sum()))


def _one_by_one(solver: Solver, positions: Sequence[Position]) -> Run:
    solver.clear()
    found, took = lap(lambda: [solver.solve(position) for position in positions])
    return Run([answer.lower for answer in found], took, sum(answer.nodes for answer in found))
