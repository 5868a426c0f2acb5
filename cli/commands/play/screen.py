"""The game on the screen: reactions to people, players and the solver."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual import work
from textual.binding import Binding
from textual.containers import Horizontal
from textual.message import Message
from textual.screen import Screen
from textual.widgets import Footer, Static

from c4core.arena.game import Ending
from c4core.notation import column_label
from c4core.players.errors import PlayerFailure, StopPlaying
from cli.commands.play.board import BoardView, escaped
from cli.commands.play.game import write_game
from cli.commands.play.opponents import GameResources, Opponents
from cli.commands.play.panels import HowToPlay, NewGame, SessionScore, SidePanel, Unfinished
from cli.output.render import result_sentence
from workers.text import printable_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.notifications import SeverityLevel
    from textual.timer import Timer

    from cli.commands.play.game import Game
    from workers.answers.question import Answer


NO_TIME: Final = 0.001
"""A time for Textual's timers, which cannot wait for 0 seconds."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The settings of all games in a session."""

    file: Path
    supplies: GameResources
    delay: float
    """Seconds between moves if no person plays."""
    animated: bool


class GameScreen(Screen[None]):
    """Board, moves and commands.

    Args:
        game: the first game.
        setup: the settings of all games.
        letters: whether stones are letters, for terminals without colours.
        unfinished: a saved game that the person may resume instead.

    Attributes:
        game: the current game.
        results: the results of earlier games.
        earlier: earlier games with at least one move.
        is_hinted: whether exact scores are shown.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("u", "undo", "Undo"),
        Binding("h", "hints", "Hints"),
        Binding("p", "pause", "Pause"),
        Binding("r", "resign", "Resign"),
        Binding("n", "new", "New game"),
        Binding("question_mark,f1", "help", "How to play", key_display="?"),
        Binding("q", "app.quit", "Quit"),
    ]

    DEFAULT_CSS = """
    GameScreen { layout: vertical; }
    GameScreen #middle { height: 1fr; }
    GameScreen #status { height: 2; padding: 0 1; }
    GameScreen.-narrow SidePanel { display: none; }
    """

    @dataclass
    class ComputerMoved(Message):
        """Sent when a player has answered."""

        game: Game
        column: int | None
        """The 0-based column; None if the player has failed."""
        reason: str = ""
        ending: Ending = Ending.ERROR

    @dataclass
    class Stuck(Message):
        """Sent when this machine lacks a resource for a player, which has not failed."""

        game: Game
        reason: str

    @dataclass
    class Scored(Message):
        """Sent when the solver has answered."""

        game: Game
        answer: Answer | None
        reason: str = ""

    def __init__(
        self, game: Game, setup: Setup, *, letters: bool, unfinished: Game | None = None
    ) -> None:
        super().__init__()
        self.game = game
        self.results = SessionScore()
        self.earlier: list[Game] = []
        self._setup = setup
        self._letters = letters
        self._unfinished = unfinished
        self._opponents = Opponents(setup.supplies)
        self._hints = False
        self._paused = False
        self._thinking: Game | None = None
        self._wait: Timer | None = None
        self._verdict = Text()
        self.is_hinted = False

    def compose(self) -> ComposeResult:
        """The board, the side panel, the state of the game and the commands."""
        with Horizontal(id="middle"):
            yield BoardView(self.game, letters=self._letters, animated=self._setup.animated)
            yield SidePanel(letters=self._letters)
        yield Static(id="status")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin, or first ask whether to continue the unfinished game."""
        self._setup.supplies.scores.on_trouble = self._notify_trouble
        self._board.focus()
        self._show()
        if self._unfinished is None:
            self._next()
        else:
            self._ask_unfinished(self._unfinished)

    @work
    async def _ask_unfinished(self, unfinished: Game) -> None:
        if await self.app.push_screen_wait(Unfinished(unfinished)):
            self.game = unfinished
        self._show()
        self._next()

    # People's actions

    def on_board_view_chosen(self, event: BoardView.Chosen) -> None:
        """Play the column that a person has chosen."""
        self._board.land()
        if self.game.awaits_computer and self._paused:
            self._ask_computer()
        elif self.game.is_over:
            self._remark("The game is over.")
        elif not self.game.awaits_person:
            self._remark("It is not your turn.")
        elif not self.game.position.is_legal(event.column):
            self._remark(f"Column {column_label(event.column)} is full.")
        else:
            self._play(event.column)

    def action_undo(self) -> None:
        """Undo a person's last move, and the answer to it."""
        earlier = self.game.taken_back()
        if earlier is None:
            self._remark("There is nothing to undo.")
            return
        self._interrupt()
        self._paused = self._paused or not earlier.has_person
        self.game = earlier
        self._keep()
        self._show()
        self._next()

    def action_hints(self) -> None:
        """Turn the exact scores of all columns on or off."""
        self._hints = not self._hints
        if self._hints:
            self._ask_scores()
        else:
            self._forget_scores()
        self._show_status()
        if self._hints and not self.game.has_person and not self._paused:
            self._remark("Hints need time: press p to pause the players.")

    def action_pause(self) -> None:
        """Pause or resume the computer."""
        self._paused = not self._paused
        if self._paused:
            self._interrupt()
        self._show_status()
        self._next()

    def action_resign(self) -> None:
        """Resign for the person to move, or for the only person."""
        if self.game.is_over or not self.game.has_person:
            self._remark("The game is over." if self.game.is_over else "Nobody here plays.")
            return
        self._interrupt()
        self.game = self.game.resigned()
        self._keep()
        self._show()

    @work
    async def action_new(self) -> None:
        """Ask for the players, then begin a game or continue this one."""
        choice = await self.app.push_screen_wait(NewGame(self.game))
        if choice is None:
            return
        first, second, goes_on = choice
        self._interrupt()
        self._opponents.end(self.game)
        old = self.game
        if (old.first, old.second) != (first, second):
            self.results = SessionScore()
        elif not goes_on:
            self.results = self.results.counting(old)
        if old.columns and not goes_on:
            self.earlier.append(old)
        self.game = replace(old, first=first, second=second) if goes_on else old.anew(first, second)
        self._keep()
        self._show()
        self._next()

    def action_help(self) -> None:
        """Show how to play."""
        self.app.push_screen(HowToPlay())

    # The computer's actions

    def on_board_view_landed(self) -> None:
        """Go on after the stone has landed."""
        self._next()

    def on_game_screen_computer_moved(self, event: ComputerMoved) -> None:
        """Play the column that a player has chosen, unless the game has changed meanwhile."""
        if event.game is not self._thinking:
            return
        self._thinking = None
        if event.column is None:
            self.game = self.game.failed(event.reason, event.ending)
            self._keep()
            self._show()
        else:
            self._play(event.column)

    def on_game_screen_stuck(self, event: Stuck) -> None:
        """Pause until a person lets the player try again."""
        if event.game is not self._thinking:
            return
        self._thinking = None
        self._paused = True
        self._show_status()
        self._notify(f"No move: {event.reason}", "error")

    def on_game_screen_scored(self, event: Scored) -> None:
        """Show the solver's answer, if the game has not changed meanwhile."""
        if event.game is not self.game or not self._hints:
            return
        if event.answer is None:
            self._verdict = escaped(f"no hint: {event.reason}")
        else:
            sentence = result_sentence(self.game.position, event.answer)
            self._verdict = Text(sentence.plain, "bold") if self._letters else sentence
            self._board.show_scores(event.answer.bounds)
            self.is_hinted = True
        self._show_status()

    def leave(self) -> None:
        """Stop the background work after the screen was closed."""
        self._thinking = None
        self._setup.supplies.scores.give_up()
        self._opponents.end(self.game)

    # The course of the game

    def _play(self, column: int) -> None:
        self.game = self.game.played(column)
        self._keep()
        self._show(falls=True)

    def _next(self) -> None:
        if self.game.awaits_computer and not self._paused and self._thinking is None:
            if self.game.has_person or not self.game.columns:
                self._ask_computer()
            elif self._wait is None:
                self._wait = self.set_timer(max(self._setup.delay, NO_TIME), self._ask_computer)
        if self._hints and not self._verdict:
            self._ask_scores()

    def _ask_computer(self) -> None:
        self._wait = None
        if self._thinking is not None or not self.game.awaits_computer:
            return
        self._forget_scores()
        game, opponents = self.game, self._opponents
        self._thinking = game
        self._show_status()

        def ask() -> None:
            try:
                self.post_message(self.ComputerMoved(game, opponents.choose(game)))
            except PlayerFailure as failure:
                reason = f"{failure.failing.value}: {failure}"
                self.post_message(self.ComputerMoved(game, None, reason, Ending(failure.failing)))
            except StopPlaying:
                pass  # the game has changed, or is over
            except Exception as error:  # noqa: BLE001 (this machine lacks memory or another resource)
                reason = str(error) or type(error).__name__
                self.post_message(self.Stuck(game, reason))

        _in_background(ask)

    def _ask_scores(self) -> None:
        """Ask for the scores of the position, unless the computer is about to change it."""
        game, scores = self.game, self._setup.supplies.scores
        if not game.awaits_person and not (game.awaits_computer and self._paused):
            return
        self._verdict = Text("computing the exact scores ...")
        self._show_status()

        def ask() -> None:
            try:
                self.post_message(self.Scored(game, scores.ask(game.position)))
            except Exception as error:  # noqa: BLE001 (a hint that fails must not end the game)
                self.post_message(self.Scored(game, None, f"{type(error).__name__}: {error}"))

        _in_background(ask)

    def _interrupt(self) -> None:
        """Stop the player that is choosing a move, and forget the scores."""
        if self._wait is not None:
            self._wait.stop()
            self._wait = None
        if self._thinking is not None:
            # A program may still answer, so it cannot be asked again: it is ended.
            asked, self._opponents = self._opponents, Opponents(self._setup.supplies)
            game, self._thinking = self._thinking, None
            _in_background(lambda: asked.end(game))
        self._forget_scores()

    def _forget_scores(self) -> None:
        if self._thinking is None:  # a thinking player may use the same searches
            self._setup.supplies.scores.give_up()
        self._verdict = Text()
        self.is_hinted = False
        self._board.show_scores(None)

    def _keep(self) -> None:
        try:
            write_game(self._setup.file, self.game)
        except OSError as error:
            message = f"The game is not saved: {error.filename}: {error.strerror}"
            self._notify(message, "error")

    # Drawing

    @property
    def _board(self) -> BoardView:
        return self.query_one(BoardView)

    def _show(self, *, falls: bool = False) -> None:
        self._forget_scores()
        self._board.show(self.game, falls=falls)
        self.query_one(SidePanel).show(self.game, self.results.counting(self.game))
        self._show_status()

    def _show_status(self) -> None:
        self.query_one("#status", Static).update(Text("\n").join((self._state(), self._verdict)))

    def _state(self) -> Text:
        game = self.game
        if self._thinking is not None:
            return escaped(f"{game.position.turn} ({game.seat_to_move.name}) is thinking ...")
        text = Text.assemble(escaped(game.outcome(), "bold"))
        if game.is_over:
            text.append("   n: new game   u: undo   q: quit")
        elif self._paused and game.awaits_computer:
            text.append("   paused   Enter: one move   p: go on")
        return text

    def _remark(self, text: str) -> None:
        """Show a remark instead of the hint until the state changes."""
        self.query_one("#status", Static).update(Text("\n").join((self._state(), escaped(text))))

    def _notify_trouble(self, message: str) -> None:
        # Called from any thread.
        self.call_later(self._notify, message, "warning")

    def _notify(self, message: str, severity: SeverityLevel) -> None:
        """Show a message for some seconds. It is escaped, because it may quote other people."""
        self.notify(printable_lines(message), severity=severity, markup=False)


def _in_background(work: Callable[[], object]) -> None:
    """Run work in a daemon thread, so that the end of the process does not wait for it.

    A player may be loading a library, which cannot be interrupted.
    """
    threading.Thread(target=work, daemon=True).start()
