"""The full-screen program of ``c4 play``."""

from __future__ import annotations

import asyncio
import os
import signal
import termios
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any, ClassVar, Final

from textual.app import App
from textual.binding import Binding
from textual.drivers.linux_driver import LinuxDriver

from cli.commands.play.board import DISC
from cli.commands.play.screen import GameScreen
from cli.output.render import can_write
from cli.shell.process import SIGNALS, handle_signals

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.binding import BindingType
    from textual.screen import Screen

    from cli.commands.play.game import Game
    from cli.commands.play.screen import Setup

STANDARD_INPUT: Final = 0


class TerminalDriver(LinuxDriver):
    """Textual's driver, except that it does not wait for a closed terminal.

    In Textual's driver the writing thread ends at the first error. After 30 more writes its queue
    is full, and the program waits forever.
    """

    def __init__(
        self,
        app: App[Any],
        *,
        debug: bool = False,
        mouse: bool = True,
        size: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        self._file: Any = _Terminal(self._file)

    def _get_terminal_size(self) -> tuple[int, int]:
        """Columns and rows of the terminal; Textual asks standard output, which may be a file."""
        with suppress(OSError, ValueError):
            columns, rows = os.get_terminal_size(self._file.fileno())
            return columns, rows
        return super()._get_terminal_size()


class _Terminal:
    """A terminal's file that discards output after the first error.

    The error is ignored, because a signal reports that the terminal was closed.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._is_gone = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        self._unless_gone(self._file.write, text)
        return len(text)

    def flush(self) -> None:
        self._unless_gone(self._file.flush)

    def _unless_gone(self, act: Callable[..., object], *arguments: str) -> None:
        if not self._is_gone:
            try:
                act(*arguments)
            except OSError:
                self._is_gone = True


class PlayApp(App[None]):
    """Plays games until the person quits.

    Args:
        game: the first game.
        setup: the settings of all games.
        unfinished: a saved game that the person may resume instead.

    Attributes:
        stopped_by: the number of the signal that ended the app; None if the person quit.
        mistakes: always 0, because the screen reports mistakes at once.
        game_screen: the screen below all others.
    """

    TITLE = "c4 play"
    ENABLE_COMMAND_PALETTE = False
    # CSS classes of every screen, by its width in characters.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-wide")]  # noqa: RUF012 (as Textual has it)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "interrupt", show=False, priority=True),
    ]

    def __init__(self, game: Game, setup: Setup, *, unfinished: Game | None = None) -> None:
        # With NO_COLOR only the terminal's own two colours are used; even greys are colours.
        colourless = "NO_COLOR" in os.environ
        super().__init__(driver_class=TerminalDriver, ansi_color=colourless)
        self.stopped_by: int | None = None
        self.mistakes = 0
        letters = colourless or not can_write(DISC)
        self.game_screen = GameScreen(game, setup, letters=letters, unfinished=unfinished)

    @property
    def game(self) -> Game:
        """The current game."""
        return self.game_screen.game

    @property
    def games(self) -> list[Game]:
        """All games of this session, the current one last."""
        return [*self.game_screen.earlier, self.game]

    def get_default_screen(self) -> Screen[None]:
        """Start with the board."""
        return self.game_screen

    def on_mount(self) -> None:
        """Handle signals: Textual does not, and the terminal must be restored."""
        if self.is_headless:
            return
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                asyncio.get_running_loop().add_signal_handler(number, self.stop, number)
        self.set_interval(1.0, self._stop_without_terminal)

    def _stop_without_terminal(self) -> None:
        """End if the terminal was closed without a SIGHUP; Textual would read from it forever."""
        try:
            termios.tcgetattr(STANDARD_INPUT)
        except termios.error:
            self.stop(signal.SIGHUP)

    def stop(self, number: int) -> None:
        """End the app because of a signal; the game is kept."""
        self.stopped_by = number
        self.exit()

    def action_interrupt(self) -> None:
        """End the app because of Ctrl-C, which Textual delivers as a key."""
        self.stop(signal.SIGINT)

    def play(self) -> None:
        """Play on the terminal, which is restored even after an error.

        A signal or Ctrl-C raises KeyboardInterrupt.
        """
        try:
            self.run()
            if self._exception is not None:
                raise self._exception
        except OSError:
            if self.stopped_by is None:  # otherwise the closed terminal has ended the app
                raise
        finally:
            self.game_screen.leave()
            handle_signals()  # the event loop has removed them
        if self.stopped_by is not None:
            raise KeyboardInterrupt(self.stopped_by)

    def _fatal_error(self) -> None:
        """Close the screen without the stack trace that Textual would print."""
        self._close_messages_no_wait()
