"""The score of a game by move, as a picture: above the middle red is ahead, below it yellow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.pictures.board import score_text
from c4core.pictures.colours import INK, MARK, RULE, SOFT, STONE, WHITE
from c4core.pictures.shapes import Box, Circle, Line, Picture, Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.arena.judging import Mark
    from c4core.pictures.shapes import Shape

LEFT: Final = 44.0
"""Points for the scale."""
EDGE: Final = 28.0
"""Points on the other sides: there is room for marks and for half a bar."""
FOOT: Final = 18.0
"""Points for the numbers of moves."""
WIDEST: Final = 26.0
"""The widest bar: that of a game of few moves."""
LEAST: Final = 3
"""The scale goes so far at least."""


class CurvePoint(NamedTuple):
    """The position after so many moves."""

    ply: int
    """Stones on the board."""
    score: int | None
    """For red; None where it is not known."""
    mark: Mark = ""
    """Of the move that led to it."""


def curve_picture(points: Sequence[CurvePoint], *, width: float, height: float) -> Picture:
    """The scores of a game by move.

    Args:
        points: by ply, at least one.
        width: of the picture.
        height: of the picture.
    """
    scale = _Scale(points, width, height)
    shapes = (*scale.frame(), *scale.bars(), *scale.line(), *scale.marks())
    return Picture(width, height, shapes, "score by move, for red")


class _Scale:
    """Where moves and scores are in a picture."""

    def __init__(self, points: Sequence[CurvePoint], width: float, height: float) -> None:
        self._points = points
        self._right = width - EDGE
        self._middle = (height - FOOT) / 2
        self._most = max(LEAST, *(abs(point.score or 0) for point in points))
        self._step = (self._right - LEFT) / max(1, len(points) - 1)

    def x(self, index: int) -> float:
        return LEFT + index * self._step

    def y(self, score: int) -> float:
        """The sign matters most and the first points more than the last ones, hence the root."""
        share = math.copysign(math.sqrt(abs(score) / self._most), score)
        return self._middle - share * (self._middle - EDGE)

    def frame(self) -> Iterator[Shape]:
        """The scale: the largest scores, the middle, the numbers of some moves."""
        for score in (self._most, 0, -self._most):
            yield Text(LEFT - 16, self.y(score) + 4, score_text(score), 11, SOFT, "end")
        yield Line(((LEFT, self._middle), (self._right, self._middle)), RULE, 1.5)
        every = max(1, math.ceil(len(self._points) / 12))
        for index in range(0, len(self._points), every):
            y = 2 * self._middle + FOOT - 5
            yield Text(self.x(index), y, str(self._points[index].ply), 10, SOFT)

    def bars(self) -> Iterator[Shape]:
        """A bar for each position that is won, in the winner's colour."""
        width = max(1.0, min(WIDEST, self._step - 2))
        for index, point in enumerate(self._points):
            if point.score:
                y = self.y(point.score)
                top, height = min(y, self._middle), abs(y - self._middle)
                colour = STONE["x" if point.score > 0 else "o"]
                yield Box(self.x(index) - width / 2, top, width, height, colour, 2)

    def line(self) -> Iterator[Line]:
        """The line over the bars; it ends where a score is not known."""
        run: list[tuple[float, float]] = []
        for index, point in enumerate(self._points):
            if point.score is not None:
                run.append((self.x(index), self.y(point.score)))
                continue
            if len(run) > 1:
                yield Line(tuple(run), INK, 1.6)
            run = []
        if len(run) > 1:
            yield Line(tuple(run), INK, 1.6)

    def marks(self) -> Iterator[Shape]:
        """The marks of moves, beside their points."""
        for index, point in enumerate(self._points):
            if not point.mark or point.score is None:
                continue
            x, y = self.x(index), self.y(point.score)
            colour = MARK[point.mark]
            yield Circle(x, y, 4, colour, WHITE, 1.2)
            place = y - 9 if point.score >= 0 else y + 17
            yield Text(x, place, point.mark, 12, colour, is_bold=True)
