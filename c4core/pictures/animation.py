"""A game as it was played: an SVG whose stones fall, or the pictures of a GIF.

The SVG is animated by SMIL, in browsers and without a script. A program without animation shows the
last position. A game is given by its first position and the position after each move.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from c4core.pictures.board import CELL, BoardMarks, Frame, board_picture, describe
from c4core.pictures.shapes import Picture
from c4core.pictures.svg import element, svg_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.pictures.shapes import Shape
    from c4core.position import Position, Side

STEP: Final = 0.8
"""Seconds between two moves."""
REST: Final = 3.0
"""Seconds for which the last position is shown."""
FALL: Final = 0.09
"""Seconds for a fall of one row; deeper ones take longer, by the root."""


def animated_svg(positions: Sequence[Position], *, cell: float = CELL) -> str:
    """A game as an animated SVG, which begins again after its end; a cell has ``cell`` points."""
    last = positions[-1]
    frame = Frame(last.board, cell)
    still: list[Shape] = [frame.back()]
    still += _stones(frame, positions[0])
    moves = list(_moves(positions))
    total = len(moves) * STEP + REST
    falling = [
        _falling(frame, cells, index * STEP, total) for index, cells in enumerate(moves, start=1)
    ]
    over: list[str] = [*falling, element(frame.plate())]
    for index, (_, column, row) in enumerate(moves, start=1):
        begin = index * STEP + fall_seconds(last.height - row)
        end = (index + 1) * STEP if index < len(moves) else total
        over.append(_seen(element(frame.ring(column, row)), begin, end, total))
    for column, row in last.winning_squares():
        four = element(frame.ring(column, row, width=11))
        over.append(_seen(four, (len(moves) + 1) * STEP, total, total))
    over += map(element, frame.labels())
    height = frame.height + 0.56 * cell
    return svg_text(Picture(frame.width, height, tuple(still), describe(last)), above=over)


def game_pictures(
    positions: Sequence[Position], *, cell: float = CELL
) -> tuple[list[Picture], list[float]]:
    """A game as pictures, and the seconds for which each is shown; a cell has ``cell`` points."""
    pictures = [board_picture(position, BoardMarks(), cell=cell) for position in positions]
    seconds = [STEP] * (len(pictures) - 1) + [REST]
    return pictures, seconds


def fall_seconds(rows: int) -> float:
    """Seconds of a fall."""
    return min(FALL * math.sqrt(4 * rows), 0.9 * STEP)


def _moves(positions: Sequence[Position]) -> Iterator[tuple[Side, int, int]]:
    """The side of each move, and its cell."""
    for before, after in pairwise(positions):
        pairs = zip(before.heights, after.heights, strict=True)
        column = next(place for place, (old, new) in enumerate(pairs) if old != new)
        yield before.turn, column, before.heights[column]


def _stones(frame: Frame, position: Position) -> Iterator[Shape]:
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
        f"<g>{''.join(map(element, frame.stone(side, column, row)))}"
        f'<animateTransform attributeName="transform" type="translate" dur="{total:g}s" '
        f'repeatCount="indefinite" calcMode="spline" values="{up};{up};0 0;0 0" '
        f'keyTimes="0;{_part(begin, total)};{_part(landed, total)};1" '
        f'keySplines="0 0 1 1;0.5 0.02 0.8 0.6;0 0 1 1"/>'
        f"{_visibility(begin, total, total)}</g>"
    )


def _seen(drawn: str, begin: float, end: float, total: float) -> str:
    """An element that is visible for a while."""
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
