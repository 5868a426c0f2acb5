"""The review of a game as one picture: the score by move, and the board at each turning point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from c4core.notation import column_label
from c4core.pictures.board import SIDES, BoardMarks, board_picture, score_text
from c4core.pictures.colours import INK, SOFT
from c4core.pictures.curve import CurvePoint, curve_picture
from c4core.pictures.shapes import Picture, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.arena.judging import JudgedMove
    from c4core.pictures.shapes import Shape
    from c4core.position import Position

ACROSS: Final = 3
"""Boards beside each other."""
MOST: Final = 12
"""Boards of a picture, at most: more mistakes are points of the curve only."""
GAP: Final = 16.0
"""Points between boards, and around all."""
LEAST_WIDTH: Final = 640.0
"""Of the picture."""
CURVE_HEIGHT: Final = 210.0
"""Of the curve."""
CELL: Final = 28.0
"""Points of a cell of a board."""


def review_picture(
    start: Position,
    columns: Sequence[int],
    judged: Sequence[JudgedMove | None],
    *,
    title: str = "",
    subtitle: str = "",
) -> Picture:
    """A game with its scores, and the board after each move that changed the result.

    A board shows the move with its mark, and arrows where the best columns were.

    Args:
        start: the position before the first move.
        columns: the moves, 0-based.
        judged: what each was worth; None where it is not known.
        title: a line above all.
        subtitle: a smaller line below it.
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
