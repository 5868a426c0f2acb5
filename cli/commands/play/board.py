"""The board on the screen: what can be clicked and typed into."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual.binding import Binding
from textual.message import Message
from textual.widget import Widget

from c4core.notation import column_label
from cli.commands.play.geometry import fit, least
from cli.commands.play.painting import Look, paint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.timer import Timer

    from cli.commands.play.game import Game
    from cli.commands.play.geometry import Geometry

ROW_SECONDS: Final = 0.04
"""The time in which a stone falls by one row."""

LEFT_BUTTON: Final = 1


class BoardView(Widget, can_focus=True):
    """Shows a game and lets a column be chosen by keys or mouse.

    Args:
        game: what to show.
        letters: stones are letters, told apart without colours.
        animated: show stones falling.
    """

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
        """A person has chosen a column."""

        column: int
        """0-based; it may be full."""

    class Landed(Message):
        """The last stone has stopped falling."""

    def __init__(self, game: Game, *, letters: bool, animated: bool) -> None:
        super().__init__()
        self.game = game
        self.pointer = (game.board.width - 1) // 2
        self._look = Look(letters=letters)
        self._animated = animated
        self._fall: Timer | None = None

    @property
    def place(self) -> Geometry | None:
        """The place of the board in the widget; None if the board is too large."""
        return fit(self.game.board, *self.size, letters=self._look.letters)

    def show(self, game: Game, *, falls: bool = False) -> None:
        """Show a game.

        Args:
            game: the game to show from now on.
            falls: let the last stone fall; :class:`Landed` follows, at once if not animated.
        """
        self._stop_falling()
        if game.board != self.game.board:
            self.pointer = (game.board.width - 1) // 2
        self.game = game
        last = None
        if game.columns:
            column = game.columns[-1]
            last = (column, game.position.heights[column] - 1)
        self._look = replace(self._look, last=last, scores=None, falling=None)
        if falls and last is not None and self._animated:
            self._look = replace(self._look, falling=game.board.height - 1)
            self._fall = self.set_interval(ROW_SECONDS, self._fall_by_a_row)
        elif falls:
            self.post_message(self.Landed())
        self.refresh()

    def show_scores(self, scores: Sequence[int | None] | None) -> None:
        """Show the exact scores of the columns, or none."""
        self._look = replace(self._look, scores=scores)
        self.refresh()

    def render(self) -> Text:
        """Draw the board, or say that there is no room for it."""
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
        """Choose the column that is pointed at."""
        self.post_message(self.Chosen(self.pointer))

    def on_key(self, event: events.Key) -> None:
        """Choose the column whose label was typed: a digit, or a capital letter."""
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
        """Put a falling stone into its place at once."""
        if self._fall is not None:
            self._stop_falling()
            self.post_message(self.Landed())
            self.refresh()

    def _stop_falling(self) -> None:
        if self._fall is not None:
            self._fall.stop()
            self._fall = None
        self._look = replace(self._look, falling=None)
