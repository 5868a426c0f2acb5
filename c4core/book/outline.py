"""Summaries of a book for pictures: scores of lines of play, and counts of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from c4core.evaluation import NO_SCORE, final_score

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from c4core.book import Book
    from c4core.position import Position

    Values = NDArray[np.int8]

NO_LINE: Final = -127
"""The value of an impossible line: a column is full, or the game is over earlier."""


def rings(book: Book, depth: int) -> Iterator[Values]:
    """Iterate over the scores of all lines of play, for the first player, by length.

    Yields:
        For each number of moves, from 0 to ``depth``, an array in lexicographic order of the moves'
        columns: lines with the same beginning are neighbours. Its values are scores,
        :data:`~c4core.evaluation.NO_SCORE` or :data:`NO_LINE`.
    """
    width = book.info.board.width
    lines: list[Position | None] = [book.info.start]
    yield _values(book, lines)
    for _ in range(depth):
        lines = [
            None
            if position is None or position.is_over or not position.is_legal(column)
            else position.play(column)
            for position in lines
            for column in range(width)
        ]
        yield _values(book, lines)


def _values(book: Book, lines: list[Position | None]) -> Values:
    values = np.full(len(lines), NO_LINE, dtype=np.int8)
    going_on = [(i, line) for i, line in enumerate(lines) if line is not None and not line.is_over]
    if going_on:
        places, positions = zip(*going_on, strict=True)
        scores = book.probe_many(positions)
        for_first = np.where(scores == NO_SCORE, NO_SCORE, _sign(positions[0].ply) * scores)
        values[list(places)] = for_first
    for index, line in enumerate(lines):
        if line is not None and line.is_over:
            values[index] = _final(line)
    return values


def _final(position: Position) -> int:
    """Return the score of a finished game for the first player."""
    return final_score(position) * _sign(position.ply)


def _sign(ply: int) -> int:
    return -1 if ply % 2 else 1


class Spread(NamedTuple):
    """The numbers of positions with each score of the first player on a ply."""

    ply: int
    scores: NDArray[np.int64]
    counts: NDArray[np.int64]
    """Number of positions with each score; two mirror images count as one."""

    @property
    def values(self) -> tuple[int, int, int]:
        """Numbers of positions that the first player wins, draws and loses."""
        parts = (self.scores > 0, self.scores == 0, self.scores < 0)
        won, drawn, lost = (int(self.counts[part].sum()) for part in parts)
        return won, drawn, lost

    @property
    def shares(self) -> tuple[float, float, float]:
        """Shares of the positions that the first player wins, draws and loses."""
        total = max(sum(self.values), 1)
        won, drawn, lost = (count / total for count in self.values)
        return won, drawn, lost


def spreads(book: Book) -> Iterator[Spread]:
    """Iterate over the numbers of positions with each score, ply by ply."""
    for ply, (_keys, scores) in enumerate(book.levels(), book.info.first_ply):
        values, counts = np.unique(_sign(ply) * scores.astype(np.int64), return_counts=True)
        yield Spread(ply, values, counts)
