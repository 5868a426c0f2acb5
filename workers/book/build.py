"""Build books: search some positions, and derive the scores of the others from them.

In a complete book only the deepest ply is searched; minimax gives the scores of all earlier plies.
A sparse book is made ply by ply, because the scores of a ply decide which positions follow. Jobs
of kind ``book`` do the searches. When the same book is built again, its jobs are found and resumed.

In a sparse book, the *choosing* side plays no move that scores more than ``within`` points below
the best move of its position; the other side plays anything. The book for the first player holds
every position reached while the first player chooses; likewise for the second. The book for both
sides is the union of these two. (Positions reached while both choose would not be enough: such a
book could not answer a mistake.) The book includes positions on its last ply, but no finished
games.

In a book for one side, only that side's good moves are followed on its turn. So, before the last
ply, all columns of such positions are searched. Positions on the other side's turn are not
searched, because all their successors are in the book.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import MOVE_GOES_ON, MOVE_WINS, children, open_plies, wins_now
from c4core.book import Book
from c4core.book.build import derive
from c4core.book.numbering import Ranking
from c4core.book.writer import write_book
from c4core.errors import BookError, C4Error
from c4core.evaluation import NO_SCORE
from c4core.position import Position
from workers.book.job import ANCESTOR_PLIES, Choice, PlyTask, find_job, plan_job, read_scores
from workers.core.submit import find_or_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from c4core.book.layout import BookInfo
    from db.database import Database
    from workers.book.job import Keys, Scores, Sides

    Level = tuple[Keys, Scores]
    Work = Callable[[int], None]
    """Works on a job until it is done, or raises."""

MAX_SLOTS: Final = 1 << 30
"""Maximum number of slots on a ply of a complete book: its keys take 8 GB of memory. Slots number
positions, whether play can reach them or not (:mod:`c4core.book.numbering`)."""


class BookPlanError(C4Error, ValueError):
    """The book is impossible: its start is a finished game, or its plies do not exist."""


@dataclass(frozen=True, slots=True)
class ScoreSource:
    """Gets the scores of a ply from jobs."""

    database: Database
    work: Work
    """Works on a job, or waits, until the job ends."""
    fresh: bool = False

    def job(self, task: PlyTask, levels: Sequence[Keys]) -> int:
        """Find the job for a task, or plan it."""
        plan = partial(
            plan_job, self.database, task, levels, label=label(task), only_one=not self.fresh
        )
        return plan() if self.fresh else find_or_plan(partial(find_job, self.database, task), plan)

    def scores(self, task: PlyTask, levels: Sequence[Keys]) -> Scores:
        """The scores of the positions of the last level that have to be searched.

        ``levels`` are the sorted keys of neighbouring plies, the positions to score last. Without
        columns, positions that win at once are left out. Raises BookIncompleteError if a position
        has no score.
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
    """The canonical image of a book's first position; BookPlanError if the game is over."""
    if start.is_over:
        raise BookPlanError("a book cannot begin with a game that is over")
    return start if start.key == start.canonical_key else start.mirrored()


def check_plies(start: Position, last: int) -> None:
    """Raise BookPlanError, with the possible plies, if the board does not have these plies."""
    cells = start.board.cells
    if not start.ply <= last < cells:
        raise BookPlanError(
            f"there is no book to ply {last} from a position of {start.ply} stones on "
            f"{start.board}: plies {start.ply} to {cells - 1} have positions that are not over"
        )


class CompleteBook:
    """Every open position that can be reached from a start, up to a ply.

    ``levels`` has the sorted canonical keys of every ply.

    Raises:
        BookPlanError: the book is impossible or too large.
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
                f"no game from this position continues after ply {start.ply + len(self.levels) - 1}"
                ": choose fewer plies"
            )

    @property
    def task(self) -> PlyTask:
        """The positions to search: those on the last ply that do not win at once."""
        return PlyTask(self.start, self.start.ply + len(self.levels) - 1)

    def scored(self, source: ScoreSource) -> list[Level]:
        """The keys and scores of every ply. Raises the errors of :meth:`ScoreSource.scores`."""
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
    """The scores of all positions of a ply, given the scores of those without a win at once."""
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


SIDES: Final[dict[Sides, tuple[Sides, ...]]] = {
    "first": ("first",),
    "second": ("second",),
    "both": ("first", "second"),
}
"""The side that chooses in each part of a book."""


class SparseBook:
    """The positions reached from a start while a side plays well, up to a ply.

    Raises:
        BookPlanError: the plies do not exist.
    """

    kind: Final = "sparse"

    def __init__(self, start: Position, last: int, choice: Choice) -> None:
        check_plies(start, last)
        self.start = start
        self.description = str(choice)
        self._last = last
        self._choice = choice

    def scored(self, source: ScoreSource) -> list[Level]:
        """The keys and scores of every ply; a ply is searched once the ply before it is done.

        Raises BookPlanError if no game is that long, and the errors of :meth:`ScoreSource.scores`.
        """
        lines = [_Line(self.start, side, self._choice.within) for side in SIDES[self._choice.sides]]
        for ply in range(self.start.ply, self._last):
            for line in lines:
                line.go_on(source, ply)
            if not any(len(line.levels[-1]) for line in lines):
                raise BookPlanError(f"no such game continues after ply {ply}: choose fewer plies")
        levels = [
            np.unique(np.concatenate(keys))
            for keys in zip(*(line.levels for line in lines), strict=True)
        ]
        task = PlyTask(self.start, self._last, choice=self._choice)
        found = source.scores(task, levels)
        book = [(levels[-1], with_wins(levels[-1], found, self.start))]
        for index in range(len(levels) - 2, -1, -1):
            known = [line.searched[index] for line in lines if index in line.searched]
            book.append((levels[index], self._derived(levels[index], known, book[-1])))
        return book[::-1]

    def _derived(self, keys: Keys, known: list[Level], next_level: Level) -> Scores:
        """The scores of a ply: searched, or derived from the scores of the next ply."""
        scores = np.empty(len(keys), dtype=np.int8)
        is_known = np.zeros(len(keys), dtype=bool)
        for known_keys, known_scores in known:
            places = np.searchsorted(keys, known_keys)
            scores[places], is_known[places] = known_scores, True
        width, height = self.start.board
        scores[~is_known] = derive(keys[~is_known], *next_level, width=width, height=height)
        return scores


class _Line:
    """The positions that are reached while one side chooses.

    ``levels`` has the sorted canonical keys of each ply so far; ``searched`` has the keys and
    scores of searched positions, by index of the ply.
    """

    def __init__(self, start: Position, side: Sides, within: int) -> None:
        self.levels: list[Keys] = [np.array([start.canonical_key], dtype=np.uint64)]
        self.searched: dict[int, Level] = {}
        self._start = start
        self._choice = Choice(within, side)
        self._turn = 0 if side == "first" else 1

    def go_on(self, source: ScoreSource, ply: int) -> None:
        """Find the positions of the next ply."""
        keys = self.levels[-1]
        width, height = self._start.board
        behind, moves = children(keys, width=width, height=height)
        follows = moves == MOVE_GOES_ON
        if ply % 2 == self._turn and len(keys):
            scores = self._columns(source, ply, moves == MOVE_WINS)
            best = scores.max(axis=1)
            self.searched[len(self.levels) - 1] = keys, best
            follows &= scores >= best[:, np.newaxis].astype(np.int16) - self._choice.within
        self.levels.append(np.unique(behind[follows]))

    def _columns(self, source: ScoreSource, ply: int, wins: NDArray[np.bool_]) -> Scores:
        """The score of every column for the positions of the last ply.

        No move is better than an immediate win. So if the book follows only best moves, the other
        columns of a position with such a win are not searched.
        """
        keys = self.levels[-1]
        win = (self._start.board.cells + 1 - ply) // 2
        scores = np.where(wins, win, NO_SCORE).astype(np.int8)
        decided = wins.any(axis=1) if self._choice.within == 0 else np.zeros(len(keys), dtype=bool)
        task = PlyTask(self._start, ply, columns=True, choice=self._choice)
        levels = [*self.levels[-1 - ANCESTOR_PLIES : -1], keys[~decided]]
        scores[~decided] = source.scores(task, levels)
        return scores


SUFFIX: Final = ".c4book"


def default_name(start: Position, plies: int, choice: Choice | None = None) -> str:
    """The default name of a book's file."""
    parts = ["c4", str(start.board), *([f"from{start.key}"] if start.ply else []), f"ply{plies}"]
    if choice is not None:
        parts.append(f"within{choice.within}-{choice.sides}")
    return "-".join(parts) + SUFFIX


def is_book_of(path: str, start: Position, plies: int, choice: Choice | None = None) -> bool:
    """Whether a file is the book of a canonical start up to a ply, made by any engine version.

    A directory or a damaged file is not a book. Complete books have no ``choice``. Raises OSError
    if the file cannot be read.
    """
    try:
        with Book.open(path) as book:
            info = book.info
    except BookError:
        return False
    return (info.start, info.last_ply, info.kind == "sparse", info.description) == (
        start,
        plies,
        choice is not None,
        "" if choice is None else str(choice),
    )


def write_scored(book: CompleteBook | SparseBook, levels: Sequence[Level], path: str) -> BookInfo:
    """Write a book with the levels of ``book.scored``; the file appears complete or not at all.

    Raises OSError if the file cannot be written.
    """
    return write_book(
        Path(os.path.realpath(path)),  # keep a symbolic link
        levels,
        start=book.start,
        kind=book.kind,
        description=book.description,
    )
