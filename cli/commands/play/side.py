"""The panel beside the board: the players, the results so far, the moves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from c4core.notation import column_label
from cli.commands.play.painting import BRIGHT, DISC, told

if TYPE_CHECKING:
    from textual.app import ComposeResult

    from c4core.position import Side
    from cli.commands.play.game import Game

SIDES: Final[tuple[Side, Side]] = ("x", "o")


@dataclass(frozen=True, slots=True)
class Results:
    """Wins of both sides, and draws, since these players sat down."""

    x: int = 0
    """Games that the first player won."""
    o: int = 0
    """Games that the second player won."""
    draws: int = 0
    """Games that nobody won."""

    def counting(self, game: Game) -> Results:
        """These results and the game's, if it is over."""
        if not game.is_over:
            return self
        winner = game.winner
        return Results(
            self.x + (winner == "x"), self.o + (winner == "o"), self.draws + (winner is None)
        )

    def __str__(self) -> str:
        """``x 1, o 0, drawn 2``."""
        return f"x {self.x}, o {self.o}, drawn {self.draws}"


class SidePanel(Vertical):
    """The players, the results, and the list of moves.

    Args:
        letters: stones are letters, told apart without colours.
    """

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
        """The three parts, from the top."""
        yield Static(id="players")
        yield Static(id="results")
        with VerticalScroll(id="list", can_focus=False):
            yield Static(id="moves")

    def show(self, game: Game, results: Results) -> None:
        """Show a game, and the results of those before it."""
        self.query_one("#players", Static).update(self._players(game))
        self.query_one("#results", Static).update(Text(f"games: {results}"))
        self.query_one("#moves", Static).update(self._moves(game))
        self.query_one("#list", VerticalScroll).scroll_end(animate=False)

    def _players(self, game: Game) -> Text:
        """A line for each side; an arrow shows whose turn it is."""
        lines = []
        for side in SIDES:
            to_move = not game.is_over and game.position.turn == side
            lines.append(
                Text.assemble(
                    "> " if to_move else "  ",
                    self._stone(side),
                    told(f" {game.seat(side).name}"),
                    style="bold" if to_move else "",
                )
            )
        return Text("\n").join(lines)

    def _moves(self, game: Game) -> Text:
        """The columns, a line for each pair of moves, numbered; the last one stands out."""
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
