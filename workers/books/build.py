"""Building books: some positions are searched, and the scores of the others follow from theirs.

In a complete book only the deepest ply is searched; the scores of all shallower ones follow by
minimax. A sparse book is made ply by ply, because the scores of a ply decide which positions follow
(:class:`SparseBook`).

Jobs of kind ``book`` do the searches. When the same book is built again, its jobs are found and
resumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import open_plies, wins_now
from c4core.book.build import derive
from c4core.book.numbering import Ranking
from c4core.errors import C4Error
from c4core.position import Position
from workers.books.planning import find_job, plan_job
from workers.books.scores import read_scores
from workers.books.task import PlyTask
from workers.core.submit import find_or_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from db.database import Database
    from workers.books.payload import Keys, Scores

    Level = tuple[Keys, Scores]
    Work = Callable[[int], None]
    """Returns when a job is done, or raises."""

MAX_SLOTS: Final = 1 << 30
"""Largest ply of a complete book, as its number of slots: its keys take 8 GB of memory."""


class BookPlanError(C4Error, ValueError):
    """Such a book is impossible: it begins with a finished game, or its plies do not exist."""


@dataclass(frozen=True, slots=True)
class ScoreSource:
    """The source of the scores of a ply: jobs."""

    database: Database
    """The database of the jobs."""
    work: Work
    """Works on a job, or waits, until its end."""
    fresh: bool = False
    """Whether to make new jobs, even if there are jobs for the same."""

    def job(self, task: PlyTask, levels: Sequence[Keys]) -> int:
        """The job for a task: found, or planned."""
        plan = partial(
            plan_job, self.database, task, levels, label=label(task), only_one=not self.fresh
        )
        return plan() if self.fresh else find_or_plan(partial(find_job, self.database, task), plan)

    def scores(self, task: PlyTask, levels: Sequence[Keys]) -> Scores:
        """The scores of those positions of the last level that have to be searched.

        Args:
            task: describes the positions.
            levels: sorted keys of neighbouring plies, the positions' own last. If only scores are
                wanted, positions that win at once are not searched.

        Raises:
            BookIncompleteError: some of them have no score.
            StorageError: the database failed.
        """
        keys = levels[-1]
        if not task.columns:
            keys = keys[~_wins(keys, task.start)]
        if not len(keys):
            return np.empty((0, task.board.width) if task.columns else 0, dtype=np.int8)
        job_id = self.job(task, levels)
        self.work(job_id)
        return read_scores(self.database, job_id, task, keys)


def label(task: PlyTask) -> str:
    """The label of a book's job."""
    parts = [f"book {task.board} ply {task.ply}"]
    if task.start.ply:
        parts.append(f"from {task.start.ply} stones")
    if task.choice is not None:
        parts.append(str(task.choice))
    return ", ".join(parts)


def canonical(start: Position) -> Position:
    """The position, or its mirror image: the canonical one, with which a book begins.

    Raises:
        BookPlanError: the game is over.
    """
    if start.is_over:
        raise BookPlanError("a book cannot begin with a game that is over")
    return start if start.key == start.canonical_key else start.mirrored()


def check_plies(start: Position, last: int) -> None:
    """Refuse plies that a board does not have.

    Raises:
        BookPlanError: says which plies there are.
    """
    cells = start.board.cells
    if not start.ply <= last < cells:
        raise BookPlanError(
            f"there is no book to ply {last} from a position of {start.ply} stones on "
            f"{start.board}: plies {start.ply} to {cells - 1} have positions that are not over"
        )


class CompleteBook:
    """Every position that can be reached from a start and is not over, up to a ply.

    Args:
        start: canonical, see :func:`canonical`.
        last: most stones on the board.

    Attributes:
        start: as given.
        levels: the canonical keys of every ply, sorted.

    Raises:
        BookPlanError: there is no such book, or it is too large.
    """

    kind: Final = "complete"
    description: Final = ""

    def __init__(self, start: Position, last: int) -> None:
        check_plies(start, last)
        slots = Ranking(start, last=last).count(last)
        if slots > MAX_SLOTS:
            raise BookPlanError(
                f"a complete book to ply {last} would have up to {slots:,} positions on its last "
                f"ply, more than the limit of {MAX_SLOTS:,}: choose fewer plies, or a sparse book"
            )
        self.start = start
        number = last - start.ply + 1
        self.levels = list(islice(open_plies(start), number))
        if len(self.levels) < number:
            raise BookPlanError(
                f"no game goes on after ply {start.ply + len(self.levels) - 1} from there: choose "
                "fewer plies"
            )

    @property
    def task(self) -> PlyTask:
        """The positions of the last ply that do not win at once; they have to be searched."""
        return PlyTask(self.start, self.start.ply + len(self.levels) - 1)

    def scored(self, source: ScoreSource) -> list[Level]:
        """The keys and scores of every ply. Errors as in :meth:`ScoreSource.scores`."""
        keys = self.levels[-1]
        found = source.scores(self.task, self.levels)
        scores = with_wins(keys, found, self.start)
        book = [(keys, scores)]
        width, height = self.start.board
        for parents in reversed(self.levels[:-1]):
            scores = derive(parents, *book[-1], width=width, height=height)
            book.append((parents, scores))
        return book[::-1]


def with_wins(keys: Keys, found: Scores, start: Position) -> Scores:
    """The scores of all positions of a ply, given the scores of those that do not win at once."""
    wins = _wins(keys, start)
    scores = np.empty(len(keys), dtype=np.int8)
    scores[~wins] = found
    if wins.any():
        ply = _ply_of(int(keys[0]), start)
        scores[wins] = (start.board.cells + 1 - ply) // 2
    return scores


def _wins(keys: Keys, start: Position) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    width, height = start.board
    return wins_now(keys, width=width, height=height)


def _ply_of(key: int, start: Position) -> int:
    return Position.from_key(key, width=start.width, height=start.height).ply
