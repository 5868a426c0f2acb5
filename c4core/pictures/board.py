"""A position as a picture that looks like the analysis board in the browser.

Stones are behind a plate with holes. For colour-blind people, a red stone has a ring and a yellow
one a dot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from c4core.notation import column_label, parse_moves
from c4core.pictures.svg import (
    HOLE,
    MARK,
    RIM,
    SIGN,
    SOFT,
    STONE,
    WHITE,
    WIN,
    Picture,
    area,
    box,
    circle,
    line,
    plate,
    score_colour,
    svg_text,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from c4core.arena.judging import Mark
    from c4core.notation import BoardSize
    from c4core.pictures.svg import Point
    from c4core.position import Position, Side

CELL: Final = 40.0

SIDES: Final[dict[Side, str]] = {"x": "red", "o": "yellow"}
FULL: Final = "-"
"""The score text of a column that cannot be played."""


@dataclass(frozen=True, slots=True)
class BoardMarks:
    """The marks on a board besides its stones."""

    scores: Sequence[int | None] | None = None
    """The score of each column for the side to move, written under it."""
    best: Sequence[int] = ()
    """Columns (0-based) whose next cell is marked as best."""
    threats: Mapping[Side, Sequence[tuple[int, int]]] | None = None
    """Cells that would complete four, as (column, row) from 0, by side."""
    arrows: Sequence[int] = ()
    """Columns (0-based) in which an arrow points to the next cell."""
    mark: Mark = ""
    """The mark of the last move, beside its stone."""
    title: str = ""


class Scored(Protocol):
    """The scores of the columns of a position, such as an ``Analysis``."""

    @property
    def scores(self) -> Sequence[int | None] | None:
        """The score of each column for the side to move."""

    @property
    def best(self) -> Sequence[int]:
        """The best columns, 0-based."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The geometry of a board in a picture."""

    board: BoardSize
    cell: float = CELL
    head: float = 0

    @property
    def edge(self) -> float:
        """The width of the plate's edge around all cells."""
        return 0.12 * self.cell

    @property
    def hole(self) -> float:
        """The radius of a hole."""
        return 0.41 * self.cell

    @property
    def width(self) -> float:
        """The width of the plate."""
        return self.board.width * self.cell + 2 * self.edge

    @property
    def height(self) -> float:
        """The height of the plate."""
        return self.board.height * self.cell + 2 * self.edge

    def centre(self, column: int, row: int) -> Point:
        """The centre of a cell. Column and row count from 0, row 0 is at the bottom."""
        x = self.edge + (column + 0.5) * self.cell
        return x, self.head + self.edge + (self.board.height - row - 0.5) * self.cell

    def back(self) -> str:
        """The background, which shows through empty holes."""
        inset = 0.02 * self.cell
        width, height = self.width - 2 * inset, self.height - 2 * inset
        return box(inset, self.head + inset, width, height, fill=HOLE, radius=0.34 * self.cell)

    def plate(self) -> str:
        """The face of the board."""
        inset = 0.02 * self.cell
        cells = (
            self.centre(column, row)
            for row in range(self.board.height)
            for column in range(self.board.width)
        )
        return plate(
            inset,
            self.head + inset,
            self.width - 2 * inset,
            self.height - 2 * inset,
            radius=0.34 * self.cell,
            holes=cells,
            hole=self.hole,
            edge=0.03 * self.cell,
        )

    def stone(self, side: Side, column: int, row: int) -> tuple[str, ...]:
        """A stone in a cell."""
        (x, y), unit = self.centre(column, row), self.cell / 100
        if side == "x":
            sign = circle(x, y, 17 * unit, stroke=SIGN[side], width=6 * unit)
        else:
            sign = circle(x, y, 9 * unit, fill=SIGN[side])
        return (
            circle(x, y, 42 * unit, fill=STONE[side]),
            circle(x, y, 36 * unit, stroke=RIM[side], width=4 * unit),
            sign,
        )

    def ring(self, column: int, row: int, width: float = 6) -> str:
        """A white ring around a cell, ``width`` hundredths of a cell wide."""
        x, y = self.centre(column, row)
        unit = self.cell / 100
        return circle(x, y, (43 - width / 2) * unit, stroke=WHITE, width=width * unit)

    def labels(self) -> Iterator[str]:
        """The columns' labels, under the plate."""
        size = 0.32 * self.cell
        y = self.head + self.height + 1.25 * size
        for column in range(self.board.width):
            x, _ = self.centre(column, 0)
            yield text(x, y, column_label(column), size, SOFT)


def board_picture(
    position: Position, marks: BoardMarks = BoardMarks(), *, cell: float = CELL
) -> Picture:
    """Draw a position. Its last move is marked if it is known; a cell is ``cell`` points wide."""
    head = 0.62 * cell if marks.title else 0.0
    frame = Frame(position.board, cell, head)
    elements: list[str] = [frame.back()]
    for column, filled in enumerate(position.heights):
        for row in range(filled):
            side = position.stone_at(column, row)
            if side is not None:
                elements += frame.stone(side, column, row)
    elements.append(frame.plate())
    elements += _marks(frame, position, marks)
    elements += frame.labels()
    foot = 0.56 * cell
    if marks.scores is not None:
        elements += _scores(frame, position, marks.scores)
        foot += 0.46 * cell
    if marks.title:
        elements.append(
            text(0.1 * cell, 0.42 * cell, marks.title, 0.34 * cell, SOFT, anchor="start")
        )
    return Picture(frame.width, head + frame.height + foot, tuple(elements), describe(position))


def analysis_marks(position: Position, analysis: Scored | None, *, threats: bool) -> BoardMarks:
    """The marks for a position: its columns' scores, arrows to the best ones, and threats."""
    best = () if analysis is None else analysis.best
    is_choice = len(best) < len(position.legal_columns())
    return BoardMarks(
        scores=None if analysis is None else analysis.scores,
        arrows=best if is_choice else (),
        threats=position.threats() if threats else None,
    )


def board_svg(position: Position, analysis: Scored | None = None, *, threats: bool = False) -> str:
    """Draw a position as SVG.

    Args:
        position: the position.
        analysis: the scores that are written under the columns; arrows point to the best columns.
            None for neither.
        threats: whether to mark the empty cells that would complete four.
    """
    return svg_text(board_picture(position, analysis_marks(position, analysis, threats=threats)))


def describe(position: Position) -> str:
    """Describe a position in words."""
    winner, board = position.winner, position.board
    if winner is not None:
        state = f"{SIDES[winner]} has won"
    elif position.is_over:
        state = "a draw"
    else:
        state = f"{SIDES[position.turn]} to move"
    moves = f", moves {position.moves}" if position.moves else ""
    return f"Connect Four, {board.width} columns, {board.height} rows{moves}; {state}"


def score_text(score: int | None) -> str:
    """Write a score with its sign; :data:`FULL` for None."""
    if score is None:
        return FULL
    return f"{score:+d}" if score else "0"


def last_cell(position: Position) -> tuple[int, int] | None:
    """Return the cell of the last move as (column, row) from 0; None if it is unknown."""
    moves = position.moves
    if not moves:
        return None
    column = parse_moves(moves[-1], width=position.width)[0]
    return column, position.heights[column] - 1


def _marks(frame: Frame, position: Position, marks: BoardMarks) -> Iterator[str]:
    unit, heights = frame.cell / 100, position.heights
    for side, cells in (marks.threats or {}).items():
        for cell in cells:
            yield _threat(frame, side, cell)
    for column in marks.best:
        if heights[column] < position.height:
            x, y = frame.centre(column, heights[column])
            yield circle(x, y, 33 * unit, stroke=WIN, width=5 * unit, dashes=8)
    for column in marks.arrows:
        if heights[column] < position.height:
            yield from _arrow(frame, column, heights[column])
    four = position.winning_squares()
    for column, row in four:
        yield frame.ring(column, row, width=11)
    last = last_cell(position)
    if last is not None and not four:
        yield frame.ring(*last)
    if last is not None and marks.mark:
        x, y = frame.centre(*last)
        x, y = x + 31 * unit, y - 31 * unit
        yield circle(x, y, 21 * unit, fill=MARK[marks.mark], stroke=WHITE, width=4 * unit)
        yield text(x, y + 11 * unit, marks.mark, 30 * unit, WHITE, is_bold=True)


def _threat(frame: Frame, side: Side, cell: tuple[int, int]) -> str:
    """A ring at the upper left for red, a dot at the lower right for yellow."""
    (x, y), unit = frame.centre(*cell), frame.cell / 100
    if side == "x":
        return circle(x - 13 * unit, y - 13 * unit, 10 * unit, stroke=STONE["x"], width=6 * unit)
    return circle(
        x + 13 * unit, y + 13 * unit, 9 * unit, fill=STONE["o"], stroke=RIM["o"], width=2 * unit
    )


def _arrow(frame: Frame, column: int, row: int) -> Iterator[str]:
    """An arrow that points down into a cell."""
    x, middle = frame.centre(column, row)
    unit = frame.cell / 100
    top, tip = middle - 62 * unit, middle + 24 * unit
    yield line(((x, top), (x, tip - 20 * unit)), WHITE, 17 * unit)
    yield area(_head(x, tip + 5 * unit, 31 * unit, 41 * unit), WHITE)
    yield line(((x, top), (x, tip - 20 * unit)), WIN, 10 * unit)
    yield area(_head(x, tip, 24 * unit, 32 * unit), WIN)


def _head(x: float, tip: float, half: float, length: float) -> tuple[Point, ...]:
    return (x - half, tip - length), (x + half, tip - length), (x, tip)


def _scores(frame: Frame, position: Position, scores: Sequence[int | None]) -> Iterator[str]:
    size = 0.36 * frame.cell
    y = frame.head + frame.height + 0.4 * frame.cell + 1.25 * size
    known = [score for score in scores if score is not None]
    for column in range(position.width):
        score = scores[column]
        x, _ = frame.centre(column, 0)
        is_best = score is not None and score == max(known)
        yield text(x, y, score_text(score), size, score_colour(score), is_bold=is_best)
