"""Asking a solver whether a position scores at least so much, within a number of nodes.

A solver has no such question: it finds exact scores, or win, draw and loss. So it is asked in
slices. Each ends with the bounds that it has proven; what it has searched in vain is in its table,
and the next slice passes it quickly. As soon as the bounds decide the question there is no further
slice, so that at most one of them is spent on more than was asked. It also means that somebody who
stops the search of another piece that shares the solver interrupts one slice, and no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workers.deep.tree import Bounds
from workers.search import NEARLY

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.position import Position
    from workers.rationing import Searcher

FIRST_SLICE: Final = 20_000
"""Nodes of the first slice: a millisecond or two."""

SHARE: Final = 0.25
"""Nodes of each slice, as a share of what has been searched so far: what may be searched beyond
what was asked. Smaller ones would be cut short more often; each costs the way back down."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What asking about one piece has come to."""

    bounds: Bounds
    """What is proven."""
    nodes: int
    """Positions searched."""
    seconds: float
    """Time spent searching."""
    is_hard: bool
    """The nodes were used up before the question was decided."""


def ask(
    position: Position,
    beta: int,
    solver: Searcher,
    *,
    known: Bounds,
    node_limit: int,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Finding:
    """Search until the score is known to be at least ``beta``, or to be less.

    Args:
        position: what is searched.
        beta: what is asked.
        solver: may be shared; an interrupted search is taken up again unless ``is_stopped``.
        known: what is proven already.
        node_limit: positions to search at most, or so.
        is_stopped: whether to give up; looked at after each slice. Then the question may be open
            without the piece being hard.
    """
    # Where the sign decides, looking for it alone saves the windows away from it.
    weak = beta in (0, 1)
    bounds, nodes, seconds = known, 0, 0.0
    limit = FIRST_SLICE
    while not bounds.decides(beta):
        if nodes >= NEARLY * node_limit:
            return Finding(bounds, nodes, seconds, is_hard=True)
        if is_stopped():
            break
        slice_ = min(limit, node_limit - nodes)
        found = solver.solve(position, weak=weak, node_limit=slice_)
        bounds = Bounds(max(bounds.lower, found.lower), min(bounds.upper, found.upper))
        nodes += found.nodes
        seconds += found.seconds
        limit = max(limit, int(SHARE * nodes))
    return Finding(bounds, nodes, seconds, is_hard=False)
