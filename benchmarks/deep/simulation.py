"""A deep job with a virtual clock and any number of simulated workers.

A node is the unit of time. The tree that real jobs use decides which piece comes next, and which
pieces a result cuts off. The simulation leaves out two costs unless ``overhead`` stands for them:
that of a unit beside its search (some milliseconds), and the time until a heartbeat tells a worker
that its piece was cut off.
"""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import TYPE_CHECKING

from workers.deep.tree import Bounds, Fact, Piece, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.deep.costs import Costs


@dataclass(frozen=True, slots=True)
class Outcome:
    """The cost of a simulated job."""

    workers: int
    split_plies: int
    nodes: int
    """Nodes that all workers have searched, with those of pieces that were cut off."""
    wall: int
    """The time of the job, in nodes of one worker."""
    pieces: int
    """Pieces that were begun."""
    cut: int
    """Pieces that were stopped because their result was no longer needed."""
    idle: float
    """The share of the workers' time without work."""

    def speed_up(self, single_nodes: int) -> float:
        """The speed-up over one search of the whole position."""
        return single_nodes / self.wall


def simulate(costs: Costs, *, workers: int, split_plies: int, overhead: int = 0) -> Outcome:
    """Run a job to its end.

    Args:
        costs: the costs of its pieces.
        workers: the number of workers; each searches one piece at a time.
        split_plies: the number of plies down to which the position is split.
        overhead: the time that a unit takes beside its search, in nodes.

    Raises:
        UnknownPieceError: a piece was not measured.
        AssertionError: the score is wrong.
    """
    tree = Tree(costs.start, split_plies=split_plies)
    stored: dict[int, Fact] = {}

    def known(keys: Sequence[int]) -> dict[int, Fact]:
        return {key: stored[key] for key in keys if key in stored}

    now = nodes = begun = cut = busy = 0
    running: dict[Piece, int] = {}  # and the time when each was begun
    ends: list[tuple[int, Piece]] = []
    while not tree.is_decided:
        for piece in tree.wanted(workers - len(running), running=running, known=known):
            running[piece] = now
            begun += 1
            heappush(ends, (now + overhead + costs.cost(piece).nodes, piece))
        now, piece = heappop(ends)
        busy += now - running.pop(piece)
        cost = costs.cost(piece)
        nodes += cost.nodes
        if cost.is_hard:
            tree.split(piece.key)
        tree.learn(piece.key, cost.bounds, cost.nodes)
        stored[piece.key] = Fact(tree.nodes[piece.key].bounds, cost.nodes)
        needed = tree.needs(running)
        for lost in running.keys() - needed:
            spent = now - running.pop(lost)
            busy += spent
            nodes += max(0, spent - overhead)
            cut += 1
        if len(ends) != len(running):
            ends = [end for end in ends if end[1] in running]
            heapify(ends)
    if tree.root.bounds != Bounds(costs.score, costs.score):
        raise AssertionError(f"{tree.root.bounds} is not the score {costs.score}")
    return Outcome(workers, split_plies, nodes, now, begun, cut, 1 - busy / max(1, workers * now))


def best(costs: Costs, *, workers: int, plies: Sequence[int], overhead: int = 0) -> Outcome:
    """The outcome with the depth of splitting that is fastest for this many workers."""
    return min(
        (
            simulate(costs, workers=workers, split_plies=split_plies, overhead=overhead)
            for split_plies in plies
        ),
        key=lambda outcome: outcome.wall,
    )
