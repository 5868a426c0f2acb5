"""The scores of all columns: what a player is shown."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.engine.compare import Entry, compare

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
        plan: how many positions and repetitions.
        classes: positions by class.
        own: this project's engine.
        rivals: other solvers with a Python interface.
        names: the classes.
    """
    for name in names:
        scored = classes.get(name, ())[: plan.share(name)]
        if scored:
            yield from _compare(plan, name, scored, [own])
            if rivals:
                yield from _compare(plan, name, scored[: plan.rival_columns], [own, *rivals])
    yield from compare(
        GROUP,
        EMPTY_BOARD,
        [EMPTY_BOARD_SCORE],
        [Entry(own.name, lambda: own.run_columns([""]), plan.long_repeats)],
    )


def _compare(
    plan: Plan, name: str, scored: Sequence[Scored], solvers: Sequence[InProcess]
) -> list[Measurement]:
    games = [position.moves for position in scored]
    return compare(
        GROUP,
        name,
        [position.score for position in scored],
        [
            Entry(
                solver.name,
                partial(solver.run_columns, games),
                plan.repeats if index == 0 else plan.rival_repeats,
            )
            for index, solver in enumerate(solvers)
        ],
    )
