"""What ``c4 bench`` measures, as rows that come one by one."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from c4core.position import Position
from c4core.solver import Solver
from cli.bench.positions import CLASSES, Scored, shipped_set
from cli.bench.timing import Lap, lap
from cli.shell.background import run_in_background

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from c4core.evaluation import Evaluation

LEAST_SECONDS: Final = 0.5
"""Passes over quick positions are repeated for this time."""
QUICK_SECONDS: Final = 0.1
"""The same time in a quick run."""
PATIENCE: Final = 20.0
"""Seconds after which a single position is given up."""
QUICK: Final = 10
"""Positions of a class in a quick run."""
QUICK_HARD: Final = 2
"""Positions of the hard class in a quick run."""
HARD: Final = "begin-hard"
BATCH: Final = "begin-medium"
EMPTY_BOARD: Final = (Scored("", 1),)


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was measured."""

    work: str
    """The positions that were solved, in words."""
    positions: int
    """Positions of a pass."""
    threads: int
    """Threads of the solver."""
    passes: int
    """Passes, each with an empty table at its start; the times are their medians."""
    cpu_seconds: float
    """Processor time of a pass."""
    wall_seconds: float
    """Wall-clock time of a pass."""
    nodes: int
    """Positions searched in the first pass."""
    unsolved: int
    """Positions that were given up."""
    wrong: int
    """Answers that the known score contradicts."""


def measure(*, table_mb: int, threads: int, quick: bool) -> Iterator[Row]:
    """Measure the classes on one thread, empty boards, and what more threads are worth.

    Args:
        table_mb: size of the table; node counts depend on it.
        threads: threads of the last measurement.
        quick: few positions, no empty board.

    Raises:
        KeyboardInterrupt: a signal came; the engine was stopped.
    """
    classes = {
        name: scored[: (QUICK_HARD if name == HARD else QUICK) if quick else None]
        for name, scored in shipped_set().items()
    }
    seconds = QUICK_SECONDS if quick else LEAST_SECONDS
    solver = Solver(table_mb=table_mb)
    for name, scored in classes.items():
        yield _row(name, solver, scored, _batch, seconds)
    if not quick:
        weakly = partial(_one_by_one, weak=True)
        yield _row("empty board", solver, EMPTY_BOARD, _one_by_one, seconds)
        yield _row("empty board, win/draw/loss", solver, EMPTY_BOARD, weakly, seconds)
    for number in thread_counts(threads)[1:]:
        solver = Solver(table_mb=table_mb, threads=number)
        yield _row(BATCH, solver, classes[BATCH], _batch, seconds)
        yield _row(f"{HARD}, one by one", solver, classes[HARD], _one_by_one, seconds)


def signature(rows: Iterable[Row]) -> int:
    """Positions searched for all classes by one thread.

    It is the same on every machine, and another after any change to what the search does.
    """
    return sum(row.nodes for row in rows if row.threads == 1 and row.work in CLASSES)


def thread_counts(most: int) -> list[int]:
    """1, 2, 4 .. up to ``most``, and ``most`` itself."""
    counts = [1]
    while counts[-1] * 2 <= most:
        counts.append(counts[-1] * 2)
    return counts if counts[-1] == most else [*counts, most]


@dataclass(frozen=True, slots=True)
class _Answer:
    lower: int
    upper: int
    solved: bool


@dataclass(frozen=True, slots=True)
class _Pass:
    answers: list[_Answer]
    nodes: int
    took: Lap


def _row(
    work: str,
    solver: Solver,
    scored: Sequence[Scored],
    run: Callable[[Solver, Sequence[Position]], _Pass],
    seconds: float,
) -> Row:
    positions = [Position(moves) for moves, _ in scored]
    passes = run_in_background(
        partial(_passes, partial(run, solver, positions), seconds), solver.stop
    )
    first = passes[0]
    return Row(
        work=work,
        positions=len(scored),
        threads=solver.threads,
        passes=len(passes),
        cpu_seconds=statistics.median(one.took.cpu for one in passes),
        wall_seconds=statistics.median(one.took.wall for one in passes),
        nodes=first.nodes,
        unsolved=sum(not answer.solved for answer in first.answers),
        wrong=sum(
            not answer.lower <= position.score <= answer.upper
            for answer, position in zip(first.answers, scored, strict=True)
        ),
    )


def _passes(run: Callable[[], _Pass], seconds: float) -> list[_Pass]:
    passes = [run()]
    while sum(one.took.wall for one in passes) < seconds:
        passes.append(run())
    return passes


def _batch(solver: Solver, positions: Sequence[Position]) -> _Pass:
    solver.clear()
    found, took = lap(lambda: solver.solve_many(positions))
    answers = [
        _Answer(lower, upper, lower == upper)
        for lower, upper in zip(found.lower.tolist(), found.upper.tolist(), strict=True)
    ]
    return _Pass(answers, int(found.nodes.sum()), took)


def _one_by_one(solver: Solver, positions: Sequence[Position], *, weak: bool = False) -> _Pass:
    solver.clear()

    def solve(position: Position) -> Evaluation:
        return solver.solve(position, weak=weak, time_limit=PATIENCE)

    found, took = lap(lambda: [solve(position) for position in positions])
    answers = [
        _Answer(one.lower, one.upper, one.value is not None if weak else one.is_exact)
        for one in found
    ]
    return _Pass(answers, sum(one.nodes for one in found), took)
