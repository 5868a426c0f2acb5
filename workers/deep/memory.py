"""A process's memory of a deep job: its tree and its open units.

The tree can be made again at any time from the job's parameters, its units and the stored
evaluations. Remembering it is faster: then only the units are read that were open or missing the
last time.

The memory is true only if the transaction that has read it is committed, because that transaction
may have written some of it. Until the commit the memory is in doubt; another reader makes it again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from db import evaluations, jobs
from db.database import after_commit
from db.decoding import decoding, field
from db.records.jobs import UnitState
from workers.deep.tree import Bounds, Fact
from workers.deep.units import CUT, piece_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from db.database import Session
    from db.jobs import GrowingUnit
    from workers.deep.task import DeepTask
    from workers.deep.tree import Known, Piece, Tree


class Memory:
    """A job's tree and units, as of the last reading.

    Args:
        job_id: the job's number.
        task: the job's question.

    Attributes:
        tree: has all proven bounds.
        open: units that are not done, by their places in the job; those that can be claimed come in
            the order of their claims.
        decided: the number of decided pieces.
        hard: the number of pieces that were too hard, and were split.
        cut: the number of pieces that became needless.
    """

    tree: Tree
    open: dict[int, GrowingUnit]
    decided: int
    hard: int
    cut: int
    _last_seq: int
    _doubt: object | None
    """Identifies a reading whose transaction is not known to be committed; None without one."""

    def __init__(self, job_id: int, task: DeepTask) -> None:
        self._job_id = job_id
        self._task = task
        self._forget()

    @property
    def is_in_doubt(self) -> bool:
        """Whether the transaction of the last reading is not known to be committed."""
        return self._doubt is not None

    def read(self, session: Session) -> None:
        """Read what has changed since the last reading.

        Args:
            session: any; for planning, one that holds the job.

        Raises:
            ContradictionError: a result cannot be true together with the others.
        """
        if self._doubt is not None:
            self._forget()
        self._doubt_until_committed(session)
        units = jobs.read_units(
            session, self._job_id, after_seq=self._last_seq, seqs=list(self.open)
        )
        if self._last_seq < 0:
            self._learn_stored(session, [self.tree.root.key])
        self.open = {unit.seq: unit for unit in units if unit.state is not UnitState.DONE}
        self._last_seq = max([self._last_seq, *(unit.seq for unit in units)])
        for unit in units:
            if unit.state is UnitState.DONE:
                self._take(unit)

    def pieces(self, *states: UnitState) -> set[Piece]:
        """The pieces of open units in some states."""
        return {piece_of(unit.payload) for unit in self.open.values() if unit.state in states}

    def wanted(self, session: Session, number: int, running: Collection[Piece]) -> list[Piece]:
        """As :meth:`Tree.wanted`, with the stored evaluations."""
        return self.tree.wanted(number, running=running, known=self.known(session))

    def known(self, session: Session) -> Known:
        """The stored evaluations of positions, for the tree."""

        def known(keys: Sequence[int]) -> dict[int, Fact]:
            found = evaluations.lookup(session, self._task.board, keys)
            return {
                key: Fact(Bounds(row.lower, row.upper), row.nodes) for key, row in found.items()
            }

        return known

    def _doubt_until_committed(self, session: Session) -> None:
        doubt = self._doubt = object()

        def trust() -> None:
            # Another thread may have read meanwhile, in a transaction that is not committed yet.
            if self._doubt is doubt:
                self._doubt = None

        after_commit(session, trust)

    def _take(self, unit: GrowingUnit) -> None:
        if unit.result is None or unit.result == CUT:
            self.cut += 1
            return
        key = piece_of(unit.payload).key
        with decoding("the result of a unit of a deep job"):
            is_hard = field(unit.result, "hard", bool)
            bounds = Bounds(field(unit.result, "lower", int), field(unit.result, "upper", int))
            nodes = field(unit.result, "nodes", int)
        if is_hard:
            self.hard += 1
            self.tree.split(key)
        else:
            self.decided += 1
        self.tree.learn(key, bounds, nodes)

    def _learn_stored(self, session: Session, keys: Sequence[int]) -> None:
        for key, row in evaluations.lookup(session, self._task.board, keys).items():
            self.tree.learn(key, Bounds(row.lower, row.upper), row.nodes)

    def _forget(self) -> None:
        self.tree = self._task.tree()
        self.open = {}
        self.decided = self.hard = self.cut = 0
        self._last_seq = -1
        self._doubt = None
