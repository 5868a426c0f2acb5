"""Build books: search the deepest ply, and derive the scores of the others by minimax.

Jobs of kind ``book`` do the searches. When the same book is built again, its job is found and
resumed.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import open_plies, wins_now
from c4core.book import Book
from c4core.book.build import derive
from c4core.book.numbering import Ranking
from c4core.book.writer import write_book
from c4core.errors import BookError, C4Error
from c4core.position import Position
from workers.book.job import PlyTask, find_job, plan_job, read_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from c4core.book.layout import BookInfo
    from c4core.notation import BoardSize
    from db.database import Database
    from workers.book.job import Keys, Scores

    Level = tuple[Keys, Scores]
    Work = Callable[[int], None]
    """Works on a job until it is done, or raises."""

MAX_SLOTS: Final = 1 << 30
"""Maximum number of slots on a ply: its keys take 8 GB of memory. Slots number
positions, whether play can reach them or not (:mod:`c4core.book.numbering`)."""


class BookPlanError(C4Error, ValueError):
    """The book is impossible: its plies do not exist, or are too large."""


@dataclass(frozen=True, slots=True)
class ScoreSource:
    """Gets the scores of a ply from jobs."""

    database: Database
    work: Work
    """Works on a job, or waits, until the job ends."""
    fresh: bool = False

    def job(self, task: PlyTask, levels: Sequence[Keys]) -> int:
        """Find the job for a task, or plan it."""
        found = None if self.fresh else find_job(self.database, task)
        return found or plan_job(self.database, task, levels, label=label(task))

    def scores(self, task: PlyTask, levels: Sequence[Keys]) -> Scores:
        """The scores of the positions of the last level that have to be searched.

        ``levels`` are the sorted keys of neighbouring plies, the positions to score last. Positions
        that win at once are left out. Raises BookIncompleteError if a position has no score.
        """
        keys = levels[-1]
        keys = keys[~wins_now(keys, task.board)]
        if not len(keys):
            return np.empty(0, dtype=np.int8)
        job_id = self.job(task, levels)
        self.work(job_id)
        return read_scores(self.database, job_id, keys)


def label(task: PlyTask) -> str:
    """The label of a book's job."""
    return f"book {task.board} ply {task.ply}"


def check_plies(board: BoardSize, last: int) -> None:
    """Raise BookPlanError, with the possible plies, if the board does not have these plies."""
    if not 0 <= last < board.cells:
        raise BookPlanError(
            f"there is no book of {board} to ply {last}: plies 0 to {board.cells - 1} have "
            "positions that are not over"
        )


class BookPlan:
    """Every open position of a board, up to a ply.

    ``levels`` has the sorted canonical keys of every ply.

    Raises:
        BookPlanError: the book is impossible or too large.
    """

    def __init__(self, board: BoardSize, last: int) -> None:
        check_plies(board, last)
        slots = Ranking(board, last).count(last)
        if slots > MAX_SLOTS:
            raise BookPlanError(
                f"a book to ply {last} would have up to {slots:,} positions on its last ply, more "
                f"than the limit of {MAX_SLOTS:,}: choose fewer plies"
            )
        self.board = board
        start = Position(board=board)
        self.levels = list(islice(open_plies(start), last + 1))

    @property
    def task(self) -> PlyTask:
        """The positions to search: those on the last ply that do not win at once."""
        return PlyTask(self.board, len(self.levels) - 1)

    def scored(self, source: ScoreSource) -> list[Level]:
        """The keys and scores of every ply. Raises the errors of :meth:`ScoreSource.scores`."""
        keys = self.levels[-1]
        wins = wins_now(keys, self.board)
        scores = np.empty(len(keys), dtype=np.int8)
        scores[~wins] = source.scores(self.task, self.levels)
        scores[wins] = (self.board.cells + 2 - len(self.levels)) // 2
        book = [(keys, scores)]
        for parents in reversed(self.levels[:-1]):
            scores = derive(parents, *book[-1], self.board)
            book.append((parents, scores))
        return book[::-1]


SUFFIX: Final = ".c4book"


def default_name(board: BoardSize, plies: int) -> str:
    """The default name of a book's file."""
    return f"c4-{board}-ply{plies}{SUFFIX}"


def is_book_of(path: str, board: BoardSize, plies: int) -> bool:
    """Whether a file is the book of a board up to a ply, made by any engine version.

    A directory or a damaged file is not a book. Raises OSError if the file cannot be read.
    """
    try:
        with Book.open(path) as book:
            return (book.info.board, book.info.last_ply) == (board, plies)
    except BookError:
        return False


def write_scored(board: BoardSize, levels: Sequence[Level], path: str) -> BookInfo:
    """Write a book with the levels of :meth:`BookPlan.scored`, completely or not at all.

    Raises OSError if the file cannot be written.
    """
    # realpath keeps a symbolic link.
    return write_book(Path(os.path.realpath(path)), levels, board=board)
