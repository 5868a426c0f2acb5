"""The scores of all columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.engine.compare import Entry, compare, compare_passes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.engine.plan import Plan
    from benchmarks.engine.results import Measurement
    from benchmarks.engine.solvers import C4, InProcess
    from cli.bench.positions import Scored

GROUP = "columns"
EMPTY_BOARD = "empty board"
EMPTY_BOARD_SCORE = 1


def measure(
    plan: Plan,
    classes: Mapping[str, Sequence[Scored]],
    own: C4,
    rivals: Sequence[InProcess],
    names: Sequence[str] = ("middle-easy", "begin-easy", "middle-medium"),
) -> Iterator[Measurement]:
    """Analyze the positions of some classes and the empty board.

    Args:
        plan: the numbers of positions and repetitions.
        classes: the positions of each class.
        own: this project's engine.
        rivals: other solvers with a Python interface.
        names: the names of these classes.
    """
    for name in names:
        scored = classes.get(name, ())[: plan.share(name)]
        if scored:
            passes = [(solver.name, solver.run_columns) for solver in (own, *rivals)]
            yield from compare_passes(GROUP, name, scored, plan, passes[:1])
            if rivals:
                shared = scored[: plan.rival_columns]
                yield from compare_passes(GROUP, name, shared, plan, passes)
    yield from compare(
        GROUP,
        EMPTY_BOARD,
        [EMPTY_BOARD_SCORE],
        [Entry(own.name, lambda: own.run_columns([""]), plan.long_repeats)],
    )
