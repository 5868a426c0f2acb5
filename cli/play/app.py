"""The program that has the whole terminal while a game is played on it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding

from cli.output.render import can_write
from cli.play.driver import TerminalDriver
from cli.play.painting import DISC
from cli.play.screen import GameScreen
from cli.shell import signals

if TYPE_CHECKING:
    from textual.binding import BindingType
    from textual.screen import Screen

    from cli.play.game import Game
    from cli.play.screen import Table


class PlayApp(App[None]):
    """Plays games until a person has enough.

    Args:
        game: to begin with.
        table: what it is played with.
        unfinished: a game that was kept, and that may be gone on with instead.

    Attributes:
        stopped_by: the signal that ended it; None where a person did.
        mistakes: none: a person who errs is told so at once.
        game_screen: the screen below all others.
    """

    TITLE = "c4 play"
    ENABLE_COMMAND_PALETTE = False
    # Classes of every screen, by the characters of a line.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012 (as Textual has it)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
    ]

    def __init__(self, game: Game, table: Table, *, unfinished: Game | None = None) -> None:
        # With NO_COLOR the terminal's own two colours are all there is; greys are colours too.
        colourless = "NO_COLOR" in os.environ
        super().__init__(driver_class=TerminalDriver, ansi_color=colourless)
        self.stopped_by: int | None = None
        self.mistakes = 0
        letters = colourless or not can_write(DISC)
        self.game_screen = GameScreen(game, table, letters=letters, unfinished=unfinished)

    @property
    def game(self) -> Game:
        """The game as it stands."""
        return self.game_screen.game

    @property
    def games(self) -> list[Game]:
        """All games of this session; the last one as it stands."""
        return [*self.game_screen.earlier, self.game]

    def get_default_screen(self) -> Screen[None]:
        """The board is what is seen first."""
        return self.game_screen

    def on_mount(self) -> None:
        """Hear signals: Textual does not, and the terminal must be put back in order."""
        if self.is_headless:
            return
        for number in signals.SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                asyncio.get_running_loop().add_signal_handler(number, self.stop, number)

    def stop(self, number: int) -> None:
        """End as after a signal; the game is kept."""
        self.stopped_by = number
        self.exit()

    def action_interrupt(self) -> None:
        """Ctrl-C, which is a key like others here."""
        self.stop(signal.SIGINT)

    def play(self) -> None:
        """Play on the terminal.

        Raises:
            KeyboardInterrupt: a signal or Ctrl-C ended it; the terminal is in order again.
            Exception: likewise, whatever has gone wrong.
        """
        try:
            self.run()
            if self._exception is not None:
                raise self._exception
        except OSError:
            if self.stopped_by is None:  # else the terminal has gone, which is why it ended
                raise
        finally:
            self.game_screen.leave()
            signals.install()  # the event loop has taken them away
        if self.stopped_by is not None:
            raise KeyboardInterrupt(self.stopped_by)

    def _fatal_error(self) -> None:
        """Close the screen, without the stack trace that Textual would write on it."""
        self._close_messages_no_wait()
