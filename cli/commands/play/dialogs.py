"""Windows over the board: how to play, who plays, an unfinished game."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.text import Text
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static

from c4core.players.errors import PlayerError
from c4core.players.player import ANY_PROGRAM
from cli.commands.play.howto import keys, paragraphs
from cli.commands.play.painting import told
from cli.commands.play.seats import Seat, choices, read_seat
from workers.printable import printable_lines

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from cli.commands.play.game import Game

PLACEHOLDER: Final = "or any player, as in minimax-windows:depth=5"
CLOSE = Binding("escape", "dismiss", "Close", show=False)

WINDOW = """
{name} {{ align: center middle; }}
{name} > VerticalScroll {{
    width: {width}; height: auto; max-height: 100%;
    border: round $primary; padding: 0 1; background: $surface;
}}
{name} Horizontal {{ height: auto; align-horizontal: right; }}
{name} Button {{ margin: 0 1; }}
"""


class HowToPlay(ModalScreen[None]):
    """Explains the rules, the keys and the hints."""

    DEFAULT_CSS = WINDOW.format(name="HowToPlay", width=80)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,space,q,question_mark", "dismiss", "Close", show=False)
    ]

    def compose(self) -> ComposeResult:
        """The text; a click closes it."""
        with VerticalScroll() as window:
            window.border_title = "How to play"
            window.border_subtitle = "Esc closes"
            yield Static(Text(paragraphs(how=keys())))

    def on_click(self) -> None:
        """Close."""
        self.dismiss()


class Choice(NamedTuple):
    """The players that were chosen, and whether to begin a new game."""

    first: Seat
    """Plays x."""
    second: Seat
    """Plays o."""
    goes_on: bool
    """Whether they continue the game on the board instead of a new one."""


class NewGame(ModalScreen[Choice | None]):
    """Asks who is to play; the answer is None if nothing changes.

    Args:
        game: its players are suggested.
    """

    DEFAULT_CSS = (
        WINDOW.format(name="NewGame", width=70)
        + """
    NewGame #mistake { color: $text-error; height: 2; }
    NewGame Input { margin: 0 1 1 1; }
    """
    )
    BINDINGS: ClassVar[list[BindingType]] = [CLOSE]

    def __init__(self, game: Game) -> None:
        super().__init__()
        self._game = game

    def compose(self) -> ComposeResult:
        """A list and a text field for each side, and three buttons."""
        with VerticalScroll(can_focus=False) as window:
            window.border_title = "Who plays"
            for label, seat, name in (
                ("x, moves first", self._game.first, "first"),
                ("o", self._game.second, "second"),
            ):
                yield Label(label)
                yield self._list(seat, name)
                yield Input(
                    placeholder=PLACEHOLDER, compact=True, select_on_focus=False, id=f"{name}-text"
                )
            yield Static(id="mistake")
            with Horizontal():
                yield Button("New game", variant="primary", id="new")
                yield Button("Go on with these", id="go-on")
                yield Button("Cancel", id="cancel")

    def on_mount(self) -> None:
        """Focus the first button, so that Enter plays again with the same players."""
        self.query_one("#new", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Return the choice."""
        if event.button.id == "cancel":
            self.dismiss(None)
            return
        try:
            first, second = self._chosen("first"), self._chosen("second")
        except PlayerError as error:
            self.query_one("#mistake", Static).update(told(str(error)))
            return
        self.dismiss(Choice(first, second, goes_on=event.button.id == "go-on"))

    def _chosen(self, name: str) -> Seat:
        """The player that was typed for a side, or else chosen from its list.

        Raises:
            PlayerError: the text is no player, or one that does not play on the board. The field is
                focused.
        """
        typed = self.query_one(f"#{name}-text", Input)
        if not typed.value.strip():
            chosen = str(self.query_one(f"#{name}", Select).value)
            return read_seat(chosen, programs=ANY_PROGRAM)
        try:
            seat = read_seat(typed.value, programs=ANY_PROGRAM)
            seat.check_board(self._game.board)
        except PlayerError:
            typed.focus()
            raise
        return seat

    def _list(self, seat: Seat, name: str) -> Select[str]:
        options = choices()
        if seat.text not in {text for _, text in options}:
            # A player with parameters, as the command line may set it.
            options = [(seat.name, seat.text), *options]
        # Content, because brackets in plain text would be markup.
        shown = [(Content(printable_lines(label)), text) for label, text in options]
        return Select(shown, value=seat.text, allow_blank=False, id=name)


class Unfinished(ModalScreen[bool]):
    """Asks whether to go on with a game that was kept.

    Args:
        game: the kept game.
    """

    DEFAULT_CSS = WINDOW.format(name="Unfinished", width=70)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "app.quit", "Quit", show=False)]

    def __init__(self, game: Game) -> None:
        super().__init__()
        self._game = game

    def compose(self) -> ComposeResult:
        """A description of the game, and two buttons."""
        game = self._game
        moves = f"{len(game.columns)} move" + ("" if len(game.columns) == 1 else "s")
        with VerticalScroll(can_focus=False) as window:
            window.border_title = "An unfinished game"
            players = f"x {game.first.name}, o {game.second.name}"
            yield Static(
                told(f"{players}; {game.board}, {moves}: {game.moves}\n{game.outcome()}\n")
            )
            with Horizontal():
                yield Button("Go on with it", variant="primary", id="resume")
                yield Button("New game instead", id="new")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Return the answer."""
        self.dismiss(event.button.id == "resume")
