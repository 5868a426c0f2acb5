"""Windows over the board, and the panel beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from rich.text import Text
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select, Static

from c4core.notation import column_label
from c4core.players.errors import PlayerError
from c4core.players.player import ANY_PROGRAM
from cli.commands.play.board import BRIGHT, DISC, escaped
from cli.commands.play.game import Seat, choices, paragraphs, read_seat
from workers.text import printable_lines

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from c4core.position import Side
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


KEYS: Final = (
    ("1 2 3 ..", "play that column; from the tenth on use Shift and its letter"),
    ("left right", "point at a column; Enter, Space or Down plays it"),
    ("mouse", "point, and click; the commands below can be clicked too"),
    ("u", "undo: back to your last move"),
    ("r", "resign and lose the game; u undoes it"),
    ("h", "hints on and off"),
    ("p", "pause the computer; then press Enter for one move"),
    ("n", "a new game, or other players in this one"),
    ("? q", "this page; quit"),
)


def _keys() -> str:
    """The keys and their actions, one per line."""
    width = max(len(names) for names, _ in KEYS) + 2
    return "\n".join(f"{names:<{width}}{meaning}" for names, meaning in KEYS)


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
            yield Static(Text(paragraphs(how=_keys())))

    def on_click(self) -> None:
        """Close."""
        self.dismiss()


class Choice(NamedTuple):
    """The chosen players, and whether to begin a new game."""

    first: Seat
    second: Seat
    goes_on: bool
    """Whether the players continue the game on the board instead of a new one."""


class NewGame(ModalScreen[Choice | None]):
    """Asks for the players; the answer is ``None`` if nothing changes."""

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
                yield Button("Continue with these", id="go-on")
                yield Button("Cancel", id="cancel")

    def on_mount(self) -> None:
        """Focus the first button, so that Enter starts a new game with the same players."""
        self.query_one("#new", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Return the choice."""
        if event.button.id == "cancel":
            self.dismiss(None)
            return
        try:
            first, second = self._chosen("first"), self._chosen("second")
        except PlayerError as error:
            self.query_one("#mistake", Static).update(escaped(str(error)))
            return
        self.dismiss(Choice(first, second, goes_on=event.button.id == "go-on"))

    def _chosen(self, name: str) -> Seat:
        """The player typed for a side, or else the one chosen from its list."""
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
    """Asks whether to continue a saved game."""

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
                escaped(f"{players}; {game.board}, {moves}: {game.moves}\n{game.outcome()}\n")
            )
            with Horizontal():
                yield Button("Continue it", variant="primary", id="resume")
                yield Button("New game instead", id="new")

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Return the answer."""
        self.dismiss(event.button.id == "resume")


SIDES: Final[tuple[Side, Side]] = ("x", "o")


@dataclass(frozen=True, slots=True)
class SessionScore:
    """Wins of both sides, and draws, since these players were chosen."""

    x: int = 0
    o: int = 0
    draws: int = 0

    def counting(self, game: Game) -> SessionScore:
        """Add the result of a game, if it is over."""
        if not game.is_over:
            return self
        winner = game.winner
        return SessionScore(
            self.x + (winner == "x"), self.o + (winner == "o"), self.draws + (winner is None)
        )

    def __str__(self) -> str:
        """``x 1, o 0, drawn 2``."""
        return f"x {self.x}, o {self.o}, drawn {self.draws}"


class SidePanel(Vertical):
    """The players, the results, and the list of moves."""

    DEFAULT_CSS = """
    SidePanel { width: 30; height: 1fr; padding: 1 1 0 1; }
    SidePanel #players { height: auto; }
    SidePanel #results { height: auto; margin: 1 0; }
    SidePanel #list { height: 1fr; scrollbar-size-vertical: 1; }
    """

    def __init__(self, *, letters: bool) -> None:
        super().__init__()
        self._letters = letters

    def compose(self) -> ComposeResult:
        """The three parts, from top to bottom."""
        yield Static(id="players")
        yield Static(id="results")
        with VerticalScroll(id="list", can_focus=False):
            yield Static(id="moves")

    def show(self, game: Game, results: SessionScore) -> None:
        """Show a game, and the results of earlier ones."""
        self.query_one("#players", Static).update(self._players(game))
        self.query_one("#results", Static).update(Text(f"games: {results}"))
        self.query_one("#moves", Static).update(self._moves(game))
        self.query_one("#list", VerticalScroll).scroll_end(animate=False)

    def _players(self, game: Game) -> Text:
        lines = []
        for side in SIDES:
            to_move = not game.is_over and game.position.turn == side
            lines.append(
                Text.assemble(
                    "> " if to_move else "  ",
                    self._stone(side),
                    escaped(f" {game.seat(side).name}"),
                    style="bold" if to_move else "",
                )
            )
        return Text("\n").join(lines)

    def _moves(self, game: Game) -> Text:
        """The columns, one numbered line per pair of moves; the last move stands out."""
        text = Text.assemble(("moves\n", "dim"))
        for ply, column in enumerate(game.columns):
            if ply % 2 == 0:
                text.append(f"{ply // 2 + 1:>4}. ", "dim")
            is_last = ply == len(game.columns) - 1
            text.append(column_label(column), "bold underline" if is_last else "")
            text.append("   " if ply % 2 == 0 else "\n")
        return text

    def _stone(self, side: Side) -> Text:
        if self._letters:
            return Text(side)
        return Text(f"{side} {DISC}", BRIGHT[side])
