"""Textual's driver, for terminals that may go away at any moment."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import IO, TYPE_CHECKING, Any

from textual.drivers.linux_driver import LinuxDriver

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App


class TerminalDriver(LinuxDriver):
    """Textual's driver, but it does not wait for a terminal that has gone.

    In Textual's own the thread that writes ends at the first error, and after 30 more writes the
    program waits for ever.
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
    """A terminal's file. Output after the terminal has gone is lost; a signal reports that."""

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
