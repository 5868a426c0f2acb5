"""A comparison of solvers on the six classes of positions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.engine.compare import compare_passes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from benchmarks.engine.plan import Plan
    from benchmarks.engine.results import Measurement
    from benchmarks.engine.solvers import Contender
    from cli.bench.positions import Scored

GROUP = "classes"


def measure(
    plan: Plan,
    classes: Mapping[str, Sequence[Scored]],
    own: Contender,
    rivals: Sequence[Contender],
    *,
    fresh: bool,
) -> Iterator[Measurement]:
    """Time every class: the engine alone on all positions, and with the rivals on fewer.

    Args:
        plan: the numbers of positions and repetitions.
        classes: the positions of each class.
        own: this project's engine.
        rivals: other solvers.
        fresh: whether to empty the tables before every position, and not only before every pass.
    """
    for name, scored in classes.items():
        share = scored[: plan.share(name)]
        rival_share = scored[: plan.share(name, rival=True)] if rivals else []
        together = [*rivals] if len(share) == len(rival_share) else []
        yield from _compare(plan, name, share, [own, *together], fresh=fresh)
        if rival_share and not together:
            yield from _compare(plan, name, rival_share, [own, *rivals], fresh=fresh)


def _compare(
    plan: Plan, name: str, scored: Sequence[Scored], solvers: Sequence[Contender], *, fresh: bool
) -> list[Measurement]:
    passes = [(solver.name, partial(solver.run, fresh=fresh)) for solver in solvers]
    return compare_passes(GROUP, name, scored, plan, passes)
