"""Comparing several solvers on the same positions, with interleaved repetitions.

Machines are noisy, and their noise comes and goes over minutes. So the repetitions of the solvers
are interleaved, and their medians are compared.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.engine.results import Measurement
from cli.bench.timing import NO_TIME, Lap

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from benchmarks.engine.plan import Plan
    from benchmarks.engine.solvers import Run
    from cli.bench.positions import Scored

    Pass = Callable[[Sequence[str]], Run]

LEAST_SECONDS = 0.05
"""A repetition has enough passes to fill this time: shorter times are lost in the noise."""
MAX_SECONDS = 1.0
"""A repetition ends after this time at the latest, which includes what is not timed: emptying
tables, starting programs."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A solver in a comparison."""

    solver: str
    """The solver's name."""
    run: Callable[[], Run]
    """One pass over the positions with an empty table."""
    repeats: int
    """The number of repetitions."""
    threads: int = 1
    """The number of threads that it was told to use."""


def compare(
    group: str,
    case: str,
    scores: Sequence[int],
    entries: Sequence[Entry],
    *,
    count: int | None = None,
) -> list[Measurement]:
    """Time the solvers in turn.

    A first pass that is long enough is the first repetition; a short one warms up code and caches
    and is not counted.

    Args:
        group: the measurements' group.
        case: the measurements' case.
        scores: the right answers; empty if the runs have no answers.
        entries: the solvers.
        count: the number of positions or calls in a pass; by default the number of scores.

    Returns:
        One measurement for each entry, in their order.
    """
    series = [_Series(entry) for entry in entries]
    for index in range(max(entry.repeats for entry in entries)):
        for one in series:
            if index < one.entry.repeats:
                one.repeat()
    return [
        Measurement(
            group=group,
            case=case,
            solver=one.entry.solver,
            count=len(scores) if count is None else count,
            cpu=[took.cpu for took in one.laps],
            wall=[took.wall for took in one.laps],
            nodes=one.first.nodes,
            wrong=sum(a != b for a, b in zip(one.first.scores, scores, strict=True)),
            threads=one.entry.threads,
        )
        for one in series
    ]


def compare_passes(
    group: str, case: str, scored: Sequence[Scored], plan: Plan, passes: Iterable[tuple[str, Pass]]
) -> list[Measurement]:
    """Time solvers in turn on the positions of a class: this project's engine, then rivals.

    Args:
        group: the measurements' group.
        case: the class.
        scored: the positions of the class.
        plan: the numbers of repetitions.
        passes: the name of each solver and its pass over some games, the engine's first.
    """
    games = [position.moves for position in scored]
    scores = [position.score for position in scored]
    entries = [
        Entry(name, partial(run, games), plan.repeats if index == 0 else plan.rival_repeats)
        for index, (name, run) in enumerate(passes)
    ]
    return compare(group, case, scores, entries)


class _Series:
    """The repetitions of one solver."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.first = entry.run()
        is_long = self.first.lap.wall >= LEAST_SECONDS
        self.laps: list[Lap] = [self.first.lap] if is_long else []

    def repeat(self) -> None:
        """Time one more repetition, unless the first pass already counted as one."""
        if len(self.laps) == self.entry.repeats:
            return
        total, passes, began = NO_TIME, 0, time.perf_counter()
        while total.wall < LEAST_SECONDS and time.perf_counter() < began + MAX_SECONDS:
            total += self.entry.run().lap
            passes += 1
        self.laps.append(total / passes)
