"""Pictures of games: animations of the moves, and reviews.

An animation is an SVG with falling stones, or the pictures of a GIF. The SVG uses SMIL, which
browsers animate without a script; programs without animation show the last position. A game is
given by its first position and the position after each move.

A review is one picture: the score by move, and the board at each turning point. The curve of the
score is above the middle while red is ahead, and below it while yellow is ahead.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from c4core.notation import column_label
from c4core.pictures.board import (
    CELL,
    SIDES,
    BoardMarks,
    Frame,
    board_picture,
    describe,
    score_text,
)
from c4core.pictures.svg import (
    INK,
    MARK,
    RULE,
    SOFT,
    STONE,
    WHITE,
    Picture,
    box,
    circle,
    line,
    svg_text,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.arena.judging import JudgedMove, Mark
    from c4core.position import Position, Side

STEP: Final = 0.8
REST: Final = 3.0
FALL: Final = 0.09
"""Half of the seconds for a fall of one row. The time grows with the square root of the rows."""


def animated_svg(positions: Sequence[Position]) -> str:
    """Draw a game as an SVG animation that repeats for ever."""
    last = positions[-1]
    frame = Frame(last.board, CELL)
    moves = list(_moves(positions))
    total = len(moves) * STEP + REST
    elements = [frame.back(), *_stones(frame, positions[0])]
    elements += (
        _falling(frame, cells, index * STEP, total) for index, cells in enumerate(moves, start=1)
    )
    elements.append(frame.plate())
    for index, (_, column, row) in enumerate(moves, start=1):
        begin = index * STEP + fall_seconds(last.height - row)
        end = (index + 1) * STEP if index < len(moves) else total
        elements.append(_seen(frame.ring(column, row), begin, end, total))
    for column, row in last.winning_squares():
        four = frame.ring(column, row, width=11)
        elements.append(_seen(four, (len(moves) + 1) * STEP, total, total))
    elements += frame.labels()
    height = frame.height + 0.56 * CELL
    return svg_text(Picture(frame.width, height, tuple(elements), describe(last)))


def game_pictures(positions: Sequence[Position]) -> tuple[list[Picture], list[float]]:
    """Draw a game as pictures, and return the seconds for which each is shown."""
    pictures = [board_picture(position, BoardMarks()) for position in positions]
    seconds = [STEP] * (len(pictures) - 1) + [REST]
    return pictures, seconds


def fall_seconds(rows: int) -> float:
    """Return the seconds that a fall of this many rows takes."""
    return min(FALL * math.sqrt(4 * rows), 0.9 * STEP)


def _moves(positions: Sequence[Position]) -> Iterator[tuple[Side, int, int]]:
    """Yield the side of each move, and its cell."""
    for before, after in pairwise(positions):
        pairs = zip(before.heights, after.heights, strict=True)
        column = next(place for place, (old, new) in enumerate(pairs) if old != new)
        yield before.turn, column, before.heights[column]


def _stones(frame: Frame, position: Position) -> Iterator[str]:
    for column, filled in enumerate(position.heights):
        for row in range(filled):
            side = position.stone_at(column, row)
            if side is not None:
                yield from frame.stone(side, column, row)


def _falling(frame: Frame, move: tuple[Side, int, int], begin: float, total: float) -> str:
    """A stone that waits above the board and falls into its place."""
    side, column, row = move
    rows = frame.board.height - row
    landed = begin + fall_seconds(rows)
    up = f"0 {-rows * frame.cell - frame.edge:g}"
    return (
        f"<g>{''.join(frame.stone(side, column, row))}"
        f'<animateTransform attributeName="transform" type="translate" dur="{total:g}s" '
        f'repeatCount="indefinite" calcMode="spline" values="{up};{up};0 0;0 0" '
        f'keyTimes="0;{_part(begin, total)};{_part(landed, total)};1" '
        f'keySplines="0 0 1 1;0.5 0.02 0.8 0.6;0 0 1 1"/>'
        f"{_visibility(begin, total, total)}</g>"
    )


def _seen(drawn: str, begin: float, end: float, total: float) -> str:
    """An element that is visible from ``begin`` to ``end``, in seconds of the animation."""
    hidden = "" if end == total else ' opacity="0"'
    return f"<g{hidden}>{drawn}{_visibility(begin, end, total)}</g>"


def _visibility(begin: float, end: float, total: float) -> str:
    values, times = "0;1", f"0;{_part(begin, total)}"
    if end < total:
        values, times = "0;1;0", f"{times};{_part(end, total)}"
    return (
        f'<animate attributeName="opacity" calcMode="discrete" dur="{total:g}s" '
        f'repeatCount="indefinite" values="{values}" keyTimes="{times}"/>'
    )


def _part(time: float, total: float) -> str:
    return f"{time / total:.5f}"


ACROSS: Final = 3
MOST: Final = 12
"""The maximum number of boards in a review. Further mistakes appear only on the curve."""
GAP: Final = 16.0
"""Points between boards, and around the picture."""
LEAST_WIDTH: Final = 640.0
"""The minimum width of the review in points."""
CURVE_HEIGHT: Final = 210.0
SMALL_CELL: Final = 28.0
LEFT: Final = 44.0
EDGE: Final = 28.0
"""Points on the other sides of the curve, for marks and for half a bar."""
FOOT: Final = 18.0
WIDEST: Final = 26.0
"""The maximum width of a bar in points, in a game of few moves."""
LEAST: Final = 3
"""The scale of the curve ends at this score or a larger one."""


class CurvePoint(NamedTuple):
    """A point of the curve."""

    ply: int
    score: int | None
    """The score for red; None if it is not known."""
    mark: Mark = ""


def review_picture(
    start: Position,
    columns: Sequence[int],
    judged: Sequence[JudgedMove | None],
    *,
    title: str = "",
    subtitle: str = "",
) -> Picture:
    """Draw a game's scores, and the board after each move that changed the result.

    A board shows the move with its mark, and arrows over the best columns. ``columns`` has the
    0-based moves. ``judged`` has the judgement of each move; None if it is unknown.
    """
    boards = boards_picture(turning_boards(start, columns, judged), "the turning points")
    width = max(LEAST_WIDTH, boards.width)
    head = GAP + (22 if title else 0) + (20 if subtitle else 0)
    elements: list[str] = []
    if title:
        elements.append(text(GAP, GAP + 12, title, 16, INK, anchor="start", is_bold=True))
    if subtitle:
        elements.append(text(GAP, head - 6, subtitle, 12, SOFT, anchor="start"))
    curve = curve_picture(curve_points(start, judged), width=width, height=CURVE_HEIGHT)
    elements.append(curve.moved(0, head))
    top = head + CURVE_HEIGHT
    elements.append(boards.moved(0, top))
    height = top + boards.height
    return Picture(width, height, tuple(elements), f"review of a game: {title or start}")


def boards_picture(boards: Sequence[Picture], title: str) -> Picture:
    """Draw boards of one size in rows of :data:`ACROSS`, with a gap around each board."""
    width = height = GAP
    elements: list[str] = []
    for index, board in enumerate(boards):
        row, place = divmod(index, ACROSS)
        left, top = GAP + place * (board.width + GAP), GAP + row * (board.height + GAP)
        elements.append(board.moved(left, top))
        width, height = max(width, left + board.width + GAP), top + board.height + GAP
    return Picture(width, height, tuple(elements), title)


def curve_points(start: Position, judged: Sequence[JudgedMove | None]) -> list[CurvePoint]:
    """Return the score for red before the first move and after each move."""
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
    """Draw the scores of a game by move. ``points`` are in order of plies, at least one."""
    scale = _Scale(points, width, height)
    elements = (*scale.frame(), *scale.bars(), *scale.line(), *scale.marks())
    return Picture(width, height, elements, "score by move, for red")


def turning_boards(
    start: Position, columns: Sequence[int], judged: Sequence[JudgedMove | None]
) -> list[Picture]:
    """Draw the board after each move that changed the result, at most :data:`MOST` boards."""
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
        boards.append(board_picture(position, marks, cell=SMALL_CELL))
    return boards


def _for_red(move: JudgedMove, score: int) -> int:
    return score if move.side == "x" else -score


class _Scale:
    """The coordinates of moves and scores in a picture."""

    def __init__(self, points: Sequence[CurvePoint], width: float, height: float) -> None:
        self._points = points
        self._right = width - EDGE
        self._middle = (height - FOOT) / 2
        self._most = max(LEAST, *(abs(point.score or 0) for point in points))
        self._step = (self._right - LEFT) / max(1, len(points) - 1)

    def x(self, index: int) -> float:
        return LEFT + index * self._step

    def y(self, score: int) -> float:
        """The y coordinate of a score. The square root makes small differences near 0 visible."""
        share = math.copysign(math.sqrt(abs(score) / self._most), score)
        return self._middle - share * (self._middle - EDGE)

    def frame(self) -> Iterator[str]:
        """The scale: the largest scores, the middle, the numbers of some moves."""
        for score in (self._most, 0, -self._most):
            yield text(LEFT - 16, self.y(score) + 4, score_text(score), 11, SOFT, anchor="end")
        yield line(((LEFT, self._middle), (self._right, self._middle)), RULE, 1.5)
        every = max(1, math.ceil(len(self._points) / 12))
        for index in range(0, len(self._points), every):
            y = 2 * self._middle + FOOT - 5
            yield text(self.x(index), y, str(self._points[index].ply), 10, SOFT)

    def bars(self) -> Iterator[str]:
        """A bar for each position that is won, in the winner's colour."""
        width = max(1.0, min(WIDEST, self._step - 2))
        for index, point in enumerate(self._points):
            if point.score:
                y = self.y(point.score)
                top, height = min(y, self._middle), abs(y - self._middle)
                colour = STONE["x" if point.score > 0 else "o"]
                yield box(self.x(index) - width / 2, top, width, height, fill=colour, radius=2)

    def line(self) -> Iterator[str]:
        """The line over the bars. It ends before an unknown score."""
        run: list[tuple[float, float]] = []
        for index, point in enumerate(self._points):
            if point.score is not None:
                run.append((self.x(index), self.y(point.score)))
                continue
            if len(run) > 1:
                yield line(run, INK, 1.6)
            run = []
        if len(run) > 1:
            yield line(run, INK, 1.6)

    def marks(self) -> Iterator[str]:
        """The marks of moves, beside their points."""
        for index, point in enumerate(self._points):
            if not point.mark or point.score is None:
                continue
            x, y = self.x(index), self.y(point.score)
            colour = MARK[point.mark]
            yield circle(x, y, 4, fill=colour, stroke=WHITE, width=1.2)
            place = y - 9 if point.score >= 0 else y + 17
            yield text(x, place, point.mark, 12, colour, is_bold=True)
