"""How far a deep job is: what is proven, what is asked now, and what is being searched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.notation import format_moves
from db.records.jobs import UnitState
from workers.deep.memory import Memory
from workers.deep.task import DeepTask
from workers.deep.tree import Bounds

if TYPE_CHECKING:
    from db.database import Session
    from db.records.jobs import JobInfo
    from workers.deep.tree import Piece


@dataclass(frozen=True, slots=True)
class AtWork:
    """A piece that a worker searches now."""

    columns: tuple[int, ...] | None
    """The columns that lead to it from the start, 0-based; None if the tree no longer has a way."""
    beta: int
    """The question is whether its side to move scores at least this."""


@dataclass(frozen=True, slots=True)
class DeepProgress:
    """A look at a deep job. Scores are for the side to move at the start."""

    lower: int
    """The score is proven to be at least this."""
    upper: int
    """The score is proven to be at most this."""
    asked: int | None
    """The question now is whether the score is at least this; None when all is proven."""
    moves: tuple[Bounds | None, ...]
    """What is proven about the score of each column, None where it cannot be played."""
    limits: Bounds
    """What a look at the board says about a column that neither wins nor loses at once."""
    decided: int
    """Pieces that were decided."""
    split: int
    """Pieces that were too hard for one worker, and were split."""
    cut: int
    """Pieces that became needless, before or while they were searched."""
    queued: int
    """Pieces that wait for a worker."""
    failed: int
    """Pieces that were given up."""
    at_work: tuple[AtWork, ...]
    """Pieces that workers search now."""


def tree_object(standing: DeepProgress) -> dict[str, object]:
    """The tree as a JSON object. Scores are for the side to move at the start."""
    return {
        "lower": standing.lower,
        "upper": standing.upper,
        "asked": standing.asked,
        "moves": [
            None if bounds is None else {"lower": bounds.lower, "upper": bounds.upper}
            for bounds in standing.moves
        ],
        "decided": standing.decided,
        "split": standing.split,
        "cut": standing.cut,
        "queued": standing.queued,
        "failed": standing.failed,
        "at_work": [
            {
                "moves": None if piece.columns is None else format_moves(piece.columns),
                "beta": piece.beta,
            }
            for piece in standing.at_work
        ],
    }


class Observer:
    """Looks at a deep job now and then.

    Args:
        job: of kind ``deep``.
    """

    def __init__(self, job: JobInfo) -> None:
        self._task = DeepTask.from_params(job.params, job.board)
        self._memory = Memory(job.id, self._task)

    def look(self, session: Session) -> DeepProgress:
        """How far the job is now."""
        memory = self._memory
        memory.read(session)
        tree = memory.tree
        running = memory.pieces(UnitState.LEASED)
        # Splits what the job's planners have split, so that there is a way to every piece.
        memory.wanted(session, len(memory.open) + 1, memory.pieces(*UnitState))
        tree.expand(tree.root, memory.known(session))
        return DeepProgress(
            lower=tree.root.lower,
            upper=tree.root.upper,
            asked=None if tree.is_decided else tree.questions[0],
            moves=self._moves(),
            limits=self._limits(),
            decided=memory.decided,
            split=memory.hard,
            cut=memory.cut,
            queued=len(memory.pieces(UnitState.QUEUED)),
            failed=len(memory.pieces(UnitState.FAILED)),
            at_work=tuple(AtWork(self._way(piece), piece.beta) for piece in sorted(running)),
        )

    def _moves(self) -> tuple[Bounds | None, ...]:
        start, nodes = self._task.start, self._memory.tree.nodes
        moves: list[Bounds | None] = [None] * start.width
        for column in start.legal_columns():
            child = nodes[start.play(column).canonical_key]
            moves[column] = Bounds(-child.upper, -child.lower)
        return tuple(moves)

    def _limits(self) -> Bounds:
        left = self._task.board.cells - self._task.start.ply - 1
        return Bounds(-((left - 1) // 2), left // 2)

    def _way(self, piece: Piece) -> tuple[int, ...] | None:
        """The columns to a piece, turned as the start was given."""
        tree = self._memory.tree
        if piece.key not in tree.nodes:
            return None
        position, columns = self._task.start, []
        for key in tree.way_to(piece.key)[1:]:
            column = next(
                column
                for column in position.legal_columns()
                if position.play(column).canonical_key == key
            )
            columns.append(column)
            position = position.play(column)
        return tuple(columns)
