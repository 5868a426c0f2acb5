"""The answer of a deep job: the score, best play, and their proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workers.core.follow import read_job
from workers.deep.progress import Observer
from workers.deep.proof import follow_proof, proven_line, searched_line
from workers.deep.task import DeepTask
from workers.deep.tree import Bounds, first_bounds

if TYPE_CHECKING:
    from c4core.position import Position
    from db.database import Database
    from db.records.jobs import JobInfo
    from workers.core.searching import Searcher
    from workers.deep.heard import Heard
    from workers.deep.progress import DeepProgress
    from workers.deep.proof import Proof

LINE_NODES: Final = 20_000_000
"""The limit of nodes for the end of best play: a second or two, if nothing is known of it."""


@dataclass(frozen=True, slots=True)
class DeepAnswer:
    """The result of a deep job."""

    job: JobInfo
    position: Position
    moves: str
    """The moves to the position, columns counted from 1."""
    standing: DeepProgress
    """What is proven."""
    proof: Proof
    """The proof of the bounds."""
    line: tuple[int, ...]
    """Best play, 0-based columns; empty if the score is not exact."""
    line_is_complete: bool
    """Whether best play is known to the end of the game."""

    @property
    def best(self) -> list[int]:
        """The 0-based columns that are proven to reach the score; none while it is not exact."""
        standing = self.standing
        if standing.asked is not None:
            return []
        return [
            column
            for column, bounds in enumerate(standing.moves)
            if bounds is not None and bounds.lower >= standing.lower
        ]


def read_answer(
    database: Database,
    job_id: int,
    solver: Searcher,
    *,
    heard: Heard | None = None,
) -> DeepAnswer:
    """Read the answer of a job, and find best play.

    Args:
        database: where the job lives.
        job_id: its number.
        solver: searches for the end of best play.
        heard: what the solver has heard of the job (:func:`workers.deep.sharing.listening`): with
            that, it has little to search.

    Raises:
        JobNotFoundError: there is no such job.
        StorageError: the database cannot be read.
    """
    job = read_job(database, job_id)
    task = DeepTask.from_params(job.params, job.board)
    with database.read() as session:
        standing = Observer(job).look(session)
    bounds = Bounds(standing.lower, standing.upper)
    line: list[int] = []
    end = task.start
    if bounds.lower == bounds.upper:
        line = proven_line(database, task.start, bounds.lower)
        for column in line:
            end = end.play(column)
        score = -bounds.lower if len(line) % 2 else bounds.lower
        known = first_bounds if heard is None else heard.bounds
        rest = searched_line(end, score, solver, known=known, node_limit=LINE_NODES)
        for column in rest:
            end = end.play(column)
        line += rest
    return DeepAnswer(
        job,
        task.start,
        task.moves,
        standing,
        follow_proof(database, task.start, bounds),
        tuple(line),
        end.is_over,
    )
