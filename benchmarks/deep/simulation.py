"""A deep job with a virtual clock, and any number of workers.

The searches are real: each worker has a solver with a table of its own, and they search in turns, a
slice at a time. A node is the unit of time. The tree that real jobs use decides which piece comes
next, and which pieces a result cuts off; bounds are shared as in :mod:`workers.deep.sharing`. The
simulation leaves out the costs of a unit beside its search (some milliseconds), and the time until
a worker sees that its piece was cut off (a quarter of a second).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

from c4core.position import Position
from c4core.solver import Solver
from workers.deep.asking import ask
from workers.deep.sharing import LEAST_NODES, Seen
from workers.deep.tree import Bounds, Fact, Piece, Tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

SLICE: Final = 4_000_000
"""Nodes that a worker searches until the others have caught up."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The cost of a simulated job."""

    workers: int
    split_plies: int
    score: int
    nodes: int
    """Nodes that all workers have searched, with those of pieces that were cut off."""
    wall: int
    """The time of the job, in nodes of one worker."""
    pieces: int
    """Pieces that were begun."""
    cut: int
    """Pieces that were stopped because their result was no longer needed."""
    sent: int
    """Bounds that all workers have shared."""

    @property
    def idle(self) -> float:
        """The share of the workers' time without work."""
        return max(0.0, 1 - self.nodes / max(1, self.workers * self.wall))

    def speed_up(self, single_nodes: int) -> float:
        """The speed-up over one search of the whole position."""
        return single_nodes / self.wall


@dataclass(slots=True)
class _Worker:
    """A simulated process of one thread."""

    solver: Solver
    seen: Seen = field(default_factory=Seen)
    received: int = 0
    """Parcels that it has looked at."""
    exchanges_at: int = 0
    piece: Piece | None = None
    bounds: Bounds | None = None
    """What is proven of the piece."""
    nodes: int = 0
    """Searched for the piece."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Who works on a position, and how."""

    start: Position
    """A position whose game goes on."""
    workers: int
    """The number of workers; each searches one piece at a time."""
    split_plies: int
    """The number of plies down to which the position is split."""
    unit_nodes: int
    """The nodes after which a piece is split."""
    table_mb: int
    """The size of a worker's table."""
    share_nodes: int
    """The nodes from one exchange of a worker to the next; 0: nothing is shared."""


class _Job:
    """The tree, and the workers' parcels."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.board = setting.start.board
        self.tree = Tree(setting.start, split_plies=setting.split_plies)
        self.workers = [_Worker(Solver(table_mb=setting.table_mb)) for _ in range(setting.workers)]
        self.stored: dict[int, Fact] = {}
        self.parcels: list[NDArray[np.void]] = []
        self.nodes = self.begun = self.cut = 0
        self._spent = 0  # nodes of the last slice

    def run(self) -> int:
        """Go on until the score is proven; returns the time that this takes."""
        now = 0
        turns = [(0, number) for number in range(len(self.workers))]
        idle: list[int] = []
        while not self.tree.is_decided:
            now, number = heappop(turns)
            worker = self.workers[number]
            if worker.piece is None and not self._begin(worker):
                idle.append(number)
                continue
            if self._search(worker, now):
                for each in idle:
                    heappush(turns, (now, each))
                idle.clear()
            heappush(turns, (now + self._spent, number))
        return now + self._spent

    def _begin(self, worker: _Worker) -> bool:
        running = {each.piece for each in self.workers if each.piece is not None}
        wanted = self.tree.wanted(1, running=running, known=self._known)
        if not wanted:
            return False
        worker.piece = wanted[0]
        worker.bounds = self.tree.nodes[wanted[0].key].bounds
        worker.nodes = 0
        self.begun += 1
        return True

    def _known(self, keys: Sequence[int]) -> dict[int, Fact]:
        return {key: self.stored[key] for key in keys if key in self.stored}

    def _search(self, worker: _Worker, now: int) -> bool:
        """Search a slice of a worker's piece; whether that has changed the tree."""
        piece, known = worker.piece, worker.bounds
        assert piece is not None  # noqa: S101 (for the types)
        assert known is not None  # noqa: S101
        if self.setting.share_nodes and now >= worker.exchanges_at:
            self._exchange(worker)
            worker.exchanges_at = now + self.setting.share_nodes
        width, height = self.board
        finding = ask(
            Position.from_key(piece.key, width=width, height=height),
            piece.beta,
            worker.solver,
            known=known,
            node_limit=min(SLICE, self.setting.unit_nodes),
        )
        self._spent = finding.nodes
        self.nodes += finding.nodes
        worker.nodes += finding.nodes
        worker.bounds = finding.bounds
        is_hard = worker.nodes >= self.setting.unit_nodes
        if not finding.bounds.decides(piece.beta) and not is_hard:
            return False
        worker.piece = None
        if is_hard and not finding.bounds.decides(piece.beta):
            self.tree.split(piece.key)
        self.tree.learn(piece.key, finding.bounds, worker.nodes)
        self.stored[piece.key] = Fact(self.tree.nodes[piece.key].bounds, worker.nodes)
        self._cut_off()
        return True

    def _cut_off(self) -> None:
        busy = [each for each in self.workers if each.piece is not None]
        needed = self.tree.needs([each.piece for each in busy if each.piece is not None])
        for each in busy:
            if each.piece not in needed:
                each.piece = None
                self.cut += 1

    def _exchange(self, worker: _Worker) -> None:
        width, height = self.board
        for bounds in self.parcels[worker.received :]:
            worker.solver.add_bounds(bounds, width=width, height=height)
            worker.seen.note(bounds)
        found = worker.solver.table_bounds(width=width, height=height, least_nodes=LEAST_NODES)
        news = worker.seen.news(found)
        worker.seen.note(news)
        self.parcels.append(news)
        worker.received = len(self.parcels)


def simulate(setting: Setting) -> Outcome:
    """Run a job to its end."""
    job = _Job(setting)
    wall = job.run()
    return Outcome(
        workers=setting.workers,
        split_plies=setting.split_plies,
        score=job.tree.root.lower,
        nodes=job.nodes,
        wall=wall,
        pieces=job.begun,
        cut=job.cut,
        sent=sum(map(len, job.parcels)),
    )
