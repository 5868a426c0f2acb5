"""Asking a solver whether a position scores at least so much, within a number of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workers.deep.tree import Bounds
from workers.positions.search import NEARLY

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.position import Position
    from workers.core.searching import Searcher


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer about one piece."""

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
        position: the position.
        beta: the score in question.
        solver: may be shared; an interrupted search is taken up again unless ``is_stopped``.
        known: the bounds that are proven already.
        node_limit: limit of nodes; it may be exceeded a little.
        is_stopped: whether to give up; asked before each search. The question may then be open
            although the piece is not hard.
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
