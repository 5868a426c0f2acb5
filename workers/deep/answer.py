"""The progress and the result of a deep job, read from the database alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from c4core.notation import parse_moves
from db import evaluations
from workers.core.follow import iterate_units, read_job
from workers.deep.proof import Bounds, Proof, best_line, first_bounds, follow_proof
from workers.deep.task import DeepTask

if TYPE_CHECKING:
    from c4core.position import Position
    from c4core.solver import Solver
    from db.database import Database, Session
    from db.records.jobs import JobInfo


@dataclass(frozen=True, slots=True)
class DeepProgress:
    """A snapshot of a deep job. Scores are for the side to move at the start."""

    lower: int
    """Proven lower bound of the score."""
    upper: int
    """Proven upper bound of the score."""
    asked: int | None
    """The current question is whether the score is at least this; None when all is proven."""
    moves: tuple[Bounds | None, ...]
    """Proven bounds of the score of each column, None if it cannot be played."""
    limits: Bounds
    """The limits that the board sets for a column that neither wins nor loses at once."""


def tree_object(progress: DeepProgress) -> dict[str, object]:
    """The progress as a JSON object. Scores are for the side to move at the start."""
    return {
        "lower": progress.lower,
        "upper": progress.upper,
        "asked": progress.asked,
        "moves": [
            None if bounds is None else {"lower": bounds.lower, "upper": bounds.upper}
            for bounds in progress.moves
        ],
    }


class Observer:
    """Reads the progress of a deep job repeatedly."""

    def __init__(self, job: JobInfo) -> None:
        self._task = DeepTask.from_params(job.params, job.board)

    def look(self, session: Session) -> DeepProgress:
        """Read the current progress."""
        start = self._task.start
        children = {column: start.play(column) for column in start.legal_columns()}
        keys = {start.canonical_key, *(child.canonical_key for child in children.values())}
        stored = evaluations.lookup(session, start.board, list(keys))

        def known(position: Position) -> Bounds:
            lower, upper = first_bounds(position)
            row = stored.get(position.canonical_key)
            return (
                Bounds(lower, upper)
                if row is None
                else Bounds(max(lower, row.lower), min(upper, row.upper))
            )

        moves: list[Bounds | None] = [None] * start.width
        for column, child in children.items():
            lower, upper = known(child)
            moves[column] = Bounds(-upper, -lower)
        of_moves = [bounds for bounds in moves if bounds is not None]
        lower, upper = known(start)
        lower = max(lower, *(bounds.lower for bounds in of_moves))
        upper = min(upper, max(bounds.upper for bounds in of_moves))
        left = start.board.cells - start.ply - 1
        limits = Bounds(-((left - 1) // 2), left // 2)
        return DeepProgress(lower, upper, self._asked(lower, upper), tuple(moves), limits)

    def _asked(self, lower: int, upper: int) -> int | None:
        """The question about the score: win, draw or loss, then one score at a time away from 0."""
        if lower >= upper or (self._task.weak and (lower > 0 or upper < 0)):
            return None
        if lower <= 0 < upper:
            return 1
        if lower < 0 <= upper:
            return 0
        return lower + 1 if lower > 0 else upper


@dataclass(frozen=True, slots=True)
class DeepAnswer:
    """The result of a deep job."""

    job: JobInfo
    position: Position
    moves: str
    """The moves to the position, as 1-based columns."""
    progress: DeepProgress
    proof: Proof
    line: tuple[int, ...]
    """Best play, as 0-based columns; empty if the score is not exact."""
    line_is_complete: bool
    """Whether best play is known to the end of the game."""

    @property
    def best(self) -> list[int]:
        """The 0-based columns proven to reach the score; empty until the score is exact."""
        progress = self.progress
        if progress.asked is not None:
            return []
        return [
            column
            for column, bounds in enumerate(progress.moves)
            if bounds is not None and bounds.lower >= progress.lower
        ]


def read_answer(database: Database, job_id: int, solver: Solver) -> DeepAnswer:
    """Read the answer of a job.

    If no shift has found best play, for example because the score was known, the solver does.
    """
    job = read_job(database, job_id)
    task = DeepTask.from_params(job.params, job.board)
    with database.read() as session:
        progress = Observer(job).look(session)
    bounds = Bounds(progress.lower, progress.upper)
    line: list[int] = []
    end = task.start
    if bounds.lower == bounds.upper:
        line = _stored_line(database, job) or best_line(database, end, bounds.lower, solver)
        for column in line:
            end = end.play(column)
    return DeepAnswer(
        job,
        task.start,
        task.moves,
        progress,
        follow_proof(database, task.start, bounds),
        tuple(line),
        end.is_over,
    )


def _stored_line(database: Database, job: JobInfo) -> list[int]:
    """The longest line of best play that a shift has found; empty if there is none."""
    lines = [(unit.result or {}).get("line", "") for unit in iterate_units(database, job.id)]
    return list(parse_moves(max(lines, key=len, default=""), width=job.board.width))
