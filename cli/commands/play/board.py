"""The board on the screen: layout, drawing, mouse and keys."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.text import Text
from textual.binding import Binding
from textual.message import Message
from textual.widget import Widget

from c4core.notation import column_label
from cli.output.render import column_text
from workers.text import printable_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual import events
    from textual.binding import BindingType
    from textual.timer import Timer

    from c4core.evaluation import ColumnBounds
    from c4core.notation import BoardSize
    from c4core.position import Position, Side
    from cli.commands.play.game import Game

LINES_ABOVE: Final = 1
LINES_BELOW: Final = 2

DISC_CELLS: Final = ((6, 3), (5, 2), (4, 1), (3, 1))
"""Sizes of a square with a disc, in characters and lines, the best first."""

LETTER_CELLS: Final = ((6, 2), (5, 1), (4, 1), (3, 1))
"""Sizes of a square with a letter; a mark needs one character on each side."""


class Geometry(NamedTuple):
    """The size and place of a board in an area of the screen."""

    board: BoardSize
    cell_width: int
    """Characters per square."""
    cell_height: int
    """Lines per square."""
    left: int
    """Characters to the left of the first column."""
    top: int
    """Lines above the first line of the picture."""

    def column_at(self, x: int) -> int | None:
        """The column at a character of the area, or None beside the board."""
        column = (x - self.left) // self.cell_width
        return column if 0 <= column < self.board.width else None


def fit(board: BoardSize, width: int, height: int, *, letters: bool) -> Geometry | None:
    """The best centred layout of a board; None if the board does not fit."""
    for cell_width, cell_height in LETTER_CELLS if letters else DISC_CELLS:
        across = board.width * cell_width
        down = board.height * cell_height + LINES_ABOVE + LINES_BELOW
        if across <= width and down <= height:
            left, top = (width - across) // 2, (height - down) // 2
            return Geometry(board, cell_width, cell_height, left, top)
    return None


def least(board: BoardSize) -> tuple[int, int]:
    """The smallest area for a board, in characters and lines."""
    cell_width, cell_height = DISC_CELLS[-1]
    return board.width * cell_width, board.height * cell_height + LINES_ABOVE + LINES_BELOW


if TYPE_CHECKING:
    Square = tuple[int, int]
    """A 0-based column and a 0-based row from the bottom."""

BOARD: Final = "#1c4fa0"
HOLE: Final = "#0c2552"
LETTER_INK: Final = "#0a0a0a"
BRIGHT: Final[dict[Side, str]] = {"x": "#ee4b4b", "o": "#ffd43b"}
DIMMED: Final[dict[Side, str]] = {"x": "#8c3244", "o": "#96823c"}
"""Colours of the stones outside a four, so that the four stands out."""

DISC: Final = "●"
DISCS: Final = {3: (" ▄▄▄▄ ", "▐████▌", " ▀▀▀▀ "), 2: ("▗▄▄▄▖", "▝▀▀▀▘"), 1: (".",)}
"""The lines of a disc, by the height of its square in lines."""

SIGNS: Final = {3: "{0}{0}", 2: "{0}", 1: "{0}"}
"""The letter of a side in the middle line, by the height of its square in lines."""

LAST_MARK: Final = "•"
FOUR_MARK: Final = "◆"
POINTER: Final = "▼"


@dataclass(frozen=True, slots=True)
class Look:
    """The style of the stones, and the marks beside them."""

    letters: bool = False
    """Whether stones are letters, for terminals without colours."""
    pointer: int | None = None
    """The column pointed at."""
    bounds: ColumnBounds | None = None
    """The bounds of the columns' scores; None to hide them."""
    last: Square | None = None
    falling: int | None = None
    """The row of the last stone while it falls; None after it has landed."""


def escaped(text: str, style: str = "") -> Text:
    """Text with control characters escaped, because other people may have written it."""
    return Text(printable_lines(text), style)


def paint(position: Position, place: Geometry, look: Look) -> Text:
    """Draw a board into an area."""
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
    """The stone shown in a square while the last one may be falling."""
    if look.falling is not None and look.last is not None and square[0] == look.last[0]:
        if square[1] == look.falling:
            return position.stone_at(*look.last)
        if square == look.last:
            return None
    return position.stone_at(*square)


def _letter(
    position: Position, square: Square, place: Geometry, look: Look, four: set[Square]
) -> list[Text]:
    """A square's lines with a letter: ``x``; ``(x)`` is the last move, ``[X]`` part of a four."""
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
    """A square's lines with a disc and its side's letter, or with an empty hole."""
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
    ink = f"bold {colour} on {BOARD}" if height == 1 else f"{LETTER_INK} on {colour}"
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
    """The columns' labels: dim if the column is full, underlined for the last stone."""
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
    """The columns' scores or bounds; the best are bold and, if there is room, have a star."""
    line = Text()
    if look.bounds is None:
        return line
    best = max((pair[1] for pair in look.bounds if pair is not None), default=None)
    for pair in look.bounds:
        is_best = pair is not None and pair[0] == best
        text, colour = column_text(pair)
        if is_best and place.cell_width > len(text) + 1:
            text = f"*{text}"
        style = "" if look.letters else colour
        line.append(f"{text:^{place.cell_width}}", f"bold {style}" if is_best else style)
    return line


ROW_SECONDS: Final = 0.04

LEFT_BUTTON: Final = 1


class BoardView(Widget, can_focus=True):
    """Shows a game; keys or the mouse choose a column."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "move(-1)", "Left", show=False),
        Binding("right", "move(1)", "Right", show=False),
        Binding("enter,space,down", "drop", "Play", show=False),
    ]

    DEFAULT_CSS = """
    BoardView { width: 1fr; height: 1fr; }
    """

    @dataclass
    class Chosen(Message):
        """Sent when a person has chosen a column."""

        column: int
        """The 0-based column, which may be full."""

    class Landed(Message):
        """Sent when the last stone has landed."""

    def __init__(self, game: Game, *, letters: bool, animated: bool) -> None:
        super().__init__()
        self.game = game
        self.pointer = (game.board.width - 1) // 2
        self._look = Look(letters=letters)
        self._animated = animated
        self._fall: Timer | None = None

    @property
    def place(self) -> Geometry | None:
        """The board's place in the widget; None if the board is too large."""
        return fit(self.game.board, *self.size, letters=self._look.letters)

    def show(self, game: Game, *, falls: bool = False) -> None:
        """Show a game. With ``falls``, :class:`Landed` is sent when the last stone has landed."""
        self._stop_falling()
        if game.board != self.game.board:
            self.pointer = (game.board.width - 1) // 2
        self.game = game
        last = None
        if game.columns:
            column = game.columns[-1]
            last = (column, game.position.heights[column] - 1)
        self._look = replace(self._look, last=last, bounds=None, falling=None)
        if falls and last is not None and self._animated:
            self._look = replace(self._look, falling=game.board.height - 1)
            self._fall = self.set_interval(ROW_SECONDS, self._fall_by_a_row)
        elif falls:
            self.post_message(self.Landed())
        self.refresh()

    def show_scores(self, bounds: ColumnBounds | None) -> None:
        """Show the columns' scores as far as they are proven, or hide them if None."""
        self._look = replace(self._look, bounds=bounds)
        self.refresh()

    def render(self) -> Text:
        """Draw the board, or say that there is not enough room."""
        place = self.place
        if place is None:
            width, height = least(self.game.board)
            return Text(
                f"A board of {self.game.board} needs {width} x {height} characters here: "
                "make the terminal larger, or its letters smaller."
            )
        pointer = self.pointer if self.game.awaits_person else None
        return paint(self.game.position, place, replace(self._look, pointer=pointer))

    def action_move(self, step: int) -> None:
        """Point at another column."""
        self._point_at(min(max(self.pointer + step, 0), self.game.board.width - 1))

    def action_drop(self) -> None:
        """Choose the column pointed at."""
        self.post_message(self.Chosen(self.pointer))

    def on_key(self, event: events.Key) -> None:
        """Choose the column with the typed label: a digit or a capital letter."""
        if event.character is None or event.character.islower():
            return  # small letters are commands
        for column in range(self.game.board.width):
            if column_label(column).upper() == event.character:
                event.stop()
                self._point_at(column)
                self.post_message(self.Chosen(column))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Point at the column under the mouse."""
        column = self._column_at(event)
        if column is not None:
            self._point_at(column)

    def on_click(self, event: events.Click) -> None:
        """Choose the column under the mouse."""
        column = self._column_at(event)
        if column is not None and event.button == LEFT_BUTTON:
            self._point_at(column)
            self.post_message(self.Chosen(column))

    def _column_at(self, event: events.MouseEvent) -> int | None:
        place = self.place
        return None if place is None else place.column_at(event.x)

    def _point_at(self, column: int) -> None:
        if column != self.pointer:
            self.pointer = column
            self.refresh()

    def _fall_by_a_row(self) -> None:
        falling, last = self._look.falling, self._look.last
        if falling is not None and last is not None and falling > last[1]:
            self._look = replace(self._look, falling=falling - 1)
        else:
            self.land()
        self.refresh()

    def land(self) -> None:
        """Let a falling stone land at once."""
        if self._fall is not None:
            self._stop_falling()
            self.post_message(self.Landed())
            self.refresh()

    def _stop_falling(self) -> None:
        if self._fall is not None:
            self._fall.stop()
            self._fall = None
        self._look = replace(self._look, falling=None)
