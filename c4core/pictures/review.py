"""The review of a game as one picture: the score by move, and the board at each turning point.

The curve of the score is above the middle while red is ahead, and below it while yellow is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.notation import column_label
from c4core.pictures.board import SIDES, BoardMarks, board_picture, score_text
from c4core.pictures.shapes import (
    INK,
    MARK,
    RULE,
    SOFT,
    STONE,
    WHITE,
    Box,
    Circle,
    Line,
    Picture,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.arena.judging import JudgedMove, Mark
    from c4core.pictures.shapes import Shape
    from c4core.position import Position

ACROSS: Final = 3
"""Boards in a row of the picture."""
MOST: Final = 12
"""A picture has at most this many boards; more mistakes are points of the curve only."""
GAP: Final = 16.0
"""Points between boards, and around all."""
LEAST_WIDTH: Final = 640.0
"""The picture is at least this wide."""
CURVE_HEIGHT: Final = 210.0
"""The height of the curve."""
CELL: Final = 28.0
"""Points of a cell of a board."""
LEFT: Final = 44.0
"""Points for the scale of a curve."""
EDGE: Final = 28.0
"""Points on the other sides of a curve, for marks and for half a bar."""
FOOT: Final = 18.0
"""Points under a curve for the numbers of moves."""
WIDEST: Final = 26.0
"""The widest bar of a curve, in a game of few moves."""
LEAST: Final = 3
"""The scale of a curve ends at this score or a larger one."""


class CurvePoint(NamedTuple):
    """A point of the curve."""

    ply: int
    """Stones on the board."""
    score: int | None
    """The score for red; None if it is not known."""
    mark: Mark = ""
    """The mark of the move that led to it."""


def review_picture(
    start: Position,
    columns: Sequence[int],
    judged: Sequence[JudgedMove | None],
    *,
    title: str = "",
    subtitle: str = "",
) -> Picture:
    """A game with its scores, and the board after each move that changed the result.

    A board shows the move with its mark, and arrows over the best columns.

    Args:
        start: the position before the first move.
        columns: the moves, 0-based.
        judged: the judgement of each move; None if it is unknown.
        title: a line above everything.
        subtitle: a smaller line below the title.
    """
    boards = turning_boards(start, columns, judged)
    width = LEAST_WIDTH
    if boards:
        across = min(ACROSS, len(boards))
        width = max(width, GAP + across * (boards[0].width + GAP))
    head = GAP + (22 if title else 0) + (20 if subtitle else 0)
    shapes: list[Shape] = []
    if title:
        shapes.append(Text(GAP, GAP + 12, title, 16, INK, "start", is_bold=True))
    if subtitle:
        shapes.append(Text(GAP, head - 6, subtitle, 12, SOFT, "start"))
    curve = curve_picture(curve_points(start, judged), width=width, height=CURVE_HEIGHT)
    shapes += curve.moved(0, head)
    top = head + CURVE_HEIGHT + GAP
    for index, board in enumerate(boards):
        row, place = divmod(index, ACROSS)
        left = GAP + place * (board.width + GAP)
        shapes += board.moved(left, top + row * (board.height + GAP))
    if boards:
        top += -(-len(boards) // ACROSS) * (boards[0].height + GAP)
    return Picture(width, top, tuple(shapes), f"review of a game: {title or start}")


def curve_points(start: Position, judged: Sequence[JudgedMove | None]) -> list[CurvePoint]:
    """The score for red after each move, and before the first one."""
    points = []
    first = judged[0] if judged else None
    points.append(CurvePoint(start.ply, None if first is None else _for_red(first, first.best)))
    for index, move in enumerate(judged):
        ply = start.ply + index + 1
        if move is None:
            points.append(CurvePoint(ply, None))
        else:
            points.append(CurvePoint(ply, _for_red(move, move.played), move.mark))
    return points


def curve_picture(points: Sequence[CurvePoint], *, width: float, height: float) -> Picture:
    """The scores of a game by move: at least one point, in order of plies."""
    scale = _Scale(points, width, height)
    shapes = (*scale.frame(), *scale.bars(), *scale.line(), *scale.marks())
    return Picture(width, height, shapes, "score by move, for red")


def turning_boards(
    start: Position, columns: Sequence[int], judged: Sequence[JudgedMove | None]
) -> list[Picture]:
    """The board after each move that changed the result, at most :data:`MOST` of them."""
    boards: list[Picture] = []
    position = start
    for column, move in zip(columns, judged, strict=True):
        before, position = position, position.play(column)
        if move is None or not move.is_blunder or len(boards) == MOST:
            continue
        scores = f"{score_text(move.best)} to {score_text(move.played)}"
        title = f"{before.ply + 1}. {SIDES[move.side]}, column {column_label(column)}: {scores}"
        arrows = [best for best in move.best_columns if best != column]
        marks = BoardMarks(arrows=arrows, mark=move.mark, title=title)
        boards.append(board_picture(position, marks, cell=CELL))
    return boards


def _for_red(move: JudgedMove, score: int) -> int:
    return score if move.side == "x" else -score


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
        """The line over the bars. It ends before an unknown score."""
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
