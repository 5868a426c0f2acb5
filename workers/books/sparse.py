"""Sparse books: positions that are reached when one side plays well, and the other plays anything.

A side that *chooses* plays no move whose score is more than ``within`` points below the best one's
of its position; the other side plays anything. The book for the first player holds every position
that is reached while the first player chooses; likewise for the second. The book for both holds
what either of these two holds. (Not: what is reached while both choose. Such a book could not
answer a mistake.) A position that is reached on the book's last ply is in it, too; no position is
in it whose game is over.

In a book for one side, its good moves alone are followed when it is that side's turn. So before the
last ply, the scores of all columns of such positions have to be searched. Positions at the other
side's turn need no search, because all positions that follow them are in the book.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.arrays import MOVE_GOES_ON, MOVE_WINS, children
from c4core.book.build import derive
from c4core.evaluation import NO_SCORE
from workers.books.build import BookPlanError, check_plies, with_wins
from workers.books.planning import ANCESTOR_PLIES
from workers.books.task import Choice, PlyTask

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.position import Position
    from workers.books.build import Level, ScoreSource
    from workers.books.payload import Keys, Scores
    from workers.books.task import Sides

SIDES: Final[dict[Sides, tuple[Sides, ...]]] = {
    "first": ("first",),
    "second": ("second",),
    "both": ("first", "second"),
}
"""The parts of a book: in each of them one side chooses."""


class SparseBook:
    """The positions that are reached from a start while a side plays well, up to a ply.

    Args:
        start: canonical.
        last: most stones on the board.
        choice: which side plays well, and how well.

    Attributes:
        start: as given.
        description: describes the positions in the file.

    Raises:
        BookPlanError: such a book is impossible.
    """

    kind: Final = "sparse"

    def __init__(self, start: Position, last: int, choice: Choice) -> None:
        check_plies(start, last)
        self.start = start
        self.description = str(choice)
        self._last = last
        self._choice = choice

    def scored(self, source: ScoreSource) -> list[Level]:
        """The keys and scores of every ply, each ply searched when the one before it is done.

        Raises:
            BookPlanError: no game goes on for so many plies.
            BookIncompleteError: some searched positions have no score.
            StorageError: the database failed.
        """
        lines = [_Line(self.start, side, self._choice.within) for side in SIDES[self._choice.sides]]
        for ply in range(self.start.ply, self._last):
            for line in lines:
                line.go_on(source, ply)
            if not any(len(line.levels[-1]) for line in lines):
                raise BookPlanError(f"no such game goes on after ply {ply}: choose fewer plies")
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
        """The scores of a ply: searched ones, and others that follow from the next ply's scores."""
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

    Attributes:
        levels: sorted canonical keys of each ply so far.
        searched: by index of the ply, the keys and scores of positions that were searched.
    """

    def __init__(self, start: Position, side: Sides, within: int) -> None:
        self.levels: list[Keys] = [np.array([start.canonical_key], dtype=np.uint64)]
        self.searched: dict[int, Level] = {}
        self._start = start
        self._choice = Choice(within, side)
        self._turn = 0 if side == "first" else 1

    def go_on(self, source: ScoreSource, ply: int) -> None:
        """Find the next ply's positions."""
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
        """The score of every column of the last ply's positions.

        No move is better than a win at once. So if the book follows best moves only, the other
        columns of a position with such a win are not searched.

        Args:
            source: searches.
            ply: the last one's stones.
            wins: which columns of which position win at once.
        """
        keys = self.levels[-1]
        win = (self._start.board.cells + 1 - ply) // 2
        scores = np.where(wins, win, NO_SCORE).astype(np.int8)
        decided = wins.any(axis=1) if self._choice.within == 0 else np.zeros(len(keys), dtype=bool)
        task = PlyTask(self._start, ply, columns=True, choice=self._choice)
        levels = [*self.levels[-1 - ANCESTOR_PLIES : -1], keys[~decided]]
        scores[~decided] = source.scores(task, levels)
        return scores
