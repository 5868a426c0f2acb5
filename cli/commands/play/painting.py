"""The picture of a board: discs with letters, or letters only without colours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text

from c4core.notation import column_label
from cli.output.render import score_style, score_text
from workers.printable import printable_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from c4core.position import Position, Side
    from cli.commands.play.geometry import Geometry

    Square = tuple[int, int]
    """A 0-based column and a 0-based row from the bottom."""

BOARD: Final = "#1c4fa0"
HOLE: Final = "#0c2552"
INK: Final = "#0a0a0a"
BRIGHT: Final[dict[Side, str]] = {"x": "#ee4b4b", "o": "#ffd43b"}
DIMMED: Final[dict[Side, str]] = {"x": "#8c3244", "o": "#96823c"}
"""Colours of the other stones once there is a four, so that it stands out."""

DISC: Final = "●"
DISCS: Final = {3: (" ▄▄▄▄ ", "▐████▌", " ▀▀▀▀ "), 2: ("▗▄▄▄▖", "▝▀▀▀▘"), 1: (".",)}
"""The lines of a disc, by the number of lines of its square."""

SIGNS: Final = {3: "{0}{0}", 2: "{0}", 1: "{0}"}
"""The letter of a side, by the number of lines of its square; it stands in the middle line."""

LAST_MARK: Final = "•"
FOUR_MARK: Final = "◆"
POINTER: Final = "▼"


@dataclass(frozen=True, slots=True)
class Look:
    """What is shown in addition to the stones."""

    letters: bool = False
    """Stones are letters, told apart without colours."""
    pointer: int | None = None
    """The column that is about to be played."""
    scores: Sequence[int | None] | None = None
    """The columns' exact scores, for the side to move."""
    last: Square | None = None
    """The stone that was played last."""
    falling: int | None = None
    """The row of this stone while it falls; None when it lies."""


def told(text: str, style: str = "") -> Text:
    """Text with control characters escaped, for it may quote what strangers wrote."""
    return Text(printable_lines(text), style)


def paint(position: Position, place: Geometry, look: Look) -> Text:
    """Draw a board into an area.

    Args:
        position: the stones.
        place: where the board lies in the area.
        look: what is shown in addition to them.
    """
    lines = [Text() for _ in range(place.top)]
    lines.append(_pointer_line(position, place, look))
    lines += _rows(position, place, look)
    lines.append(_label_line(position, place, look))
    lines.append(_score_line(place, look))
    margin = " " * place.left
    return Text("\n").join(Text(margin) + line for line in lines)


def _pointer_line(position: Position, place: Geometry, look: Look) -> Text:
    if look.pointer is None:
        return Text()
    text = position.turn if look.letters else POINTER
    style = "bold" if look.letters else f"bold {BRIGHT[position.turn]}"
    line = Text(" " * (place.cell_width * look.pointer))
    return line + Text(f"{text:^{place.cell_width}}", style)


def _rows(position: Position, place: Geometry, look: Look) -> Iterator[Text]:
    four = set(position.winning_squares())
    for row in reversed(range(place.board.height)):
        squares = [
            _letter(position, (column, row), place, look, four)
            if look.letters
            else _disc(position, (column, row), place, look, four)
            for column in range(place.board.width)
        ]
        for index in range(place.cell_height):
            yield Text().join(square[index] for square in squares)


def _stone(position: Position, square: Square, look: Look) -> Side | None:
    """The stone that is shown in a square while the last one may be falling."""
    if look.falling is not None and look.last is not None and square[0] == look.last[0]:
        if square[1] == look.falling:
            return position.stone_at(*look.last)
        if square == look.last:
            return None
    return position.stone_at(*square)


def _letter(
    position: Position, square: Square, place: Geometry, look: Look, four: set[Square]
) -> list[Text]:
    """A square's lines with a letter: ``x``; ``(x)`` is the last move, ``[X]`` one of a four."""
    side = _stone(position, square, look)
    if side is None:
        text = Text(f"{'.':^{place.cell_width}}", "dim")
    elif square in four and look.falling is None:
        text = Text(f"{f'[{side.upper()}]':^{place.cell_width}}", "bold reverse")
    elif square == look.last and look.falling is None:
        text = Text(f"{f'({side})':^{place.cell_width}}", "bold")
    else:
        text = Text(f"{side:^{place.cell_width}}", "bold")
    return [text, *(Text(" " * place.cell_width) for _ in range(place.cell_height - 1))]


def _disc(
    position: Position, square: Square, place: Geometry, look: Look, four: set[Square]
) -> list[Text]:
    """A square's lines with a disc and its side's letter in it, or with the hole."""
    side = _stone(position, square, look)
    if side is None:
        colour = HOLE
    elif four and square not in four and look.falling is None:
        colour = DIMMED[side]
    else:
        colour = BRIGHT[side]
    style = f"{colour} on {BOARD}"
    height = place.cell_height
    lines = [Text(f"{line:^{place.cell_width}}", style) for line in DISCS[height]]
    if side is None:
        return lines
    at_rest = look.falling is None
    sign = SIGNS[height].format(side)
    mark = _mark(square, look, four) if at_rest else ""
    if height == len(DISCS[3]):
        sign = f"{mark}{sign}{mark}"
    ink = f"bold {colour} on {BOARD}" if height == 1 else f"{INK} on {colour}"
    if at_rest and square in four and height < len(DISCS[3]):
        ink += " underline"
    middle = lines[height // 2].plain
    before = (place.cell_width - len(sign)) // 2
    lines[height // 2] = Text.assemble(
        (middle[:before], style), (sign, ink), (middle[before + len(sign) :], style)
    )
    return lines


def _mark(square: Square, look: Look, four: set[Square]) -> str:
    if square in four:
        return FOUR_MARK
    return LAST_MARK if square == look.last else ""


def _label_line(position: Position, place: Geometry, look: Look) -> Text:
    """The columns' labels: dim where a column is full, underlined where the last stone fell."""
    line = Text()
    for column in range(place.board.width):
        is_last = look.last is not None and column == look.last[0]
        is_open = position.heights[column] < place.board.height
        style = "bold" if is_open else "dim"
        blank = " " * ((place.cell_width - 1) // 2)
        line.append(blank)
        line.append(column_label(column), f"{style} underline" if is_last else style)
        line.append(" " * (place.cell_width - 1 - len(blank)))
    return line


def _score_line(place: Geometry, look: Look) -> Text:
    """The columns' scores; the best are bold and, where there is room, have a star."""
    line = Text()
    if look.scores is None:
        return line
    best = max((score for score in look.scores if score is not None), default=None)
    for score in look.scores:
        is_best = score is not None and score == best
        text = score_text(score)
        if is_best and place.cell_width > len(text) + 1:
            text = f"*{text}"
        style = "" if look.letters else score_style(score)
        line.append(f"{text:^{place.cell_width}}", f"bold {style}" if is_best else style)
    return line
