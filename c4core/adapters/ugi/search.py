"""A search of the engine, in a thread of its own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Final

from c4core.errors import C4Error
from c4core.notation import column_label
from c4core.players import Stop

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.adapters.ugi.reading import Go
    from c4core.position import Position

STOP_SECONDS: Final = 0.02
"""From one call to stop a search to the next: one that has just begun does not hear the first."""


class Search:
    """A search in a thread of its own. It says what it has found, and then the move.

    Args:
        go: its limits.
        position: not over.
        think: finds a column and what is to be said, until its stop is set.
        tell: says a line.
    """

    def __init__(
        self,
        go: Go,
        position: Position,
        think: Callable[[Position, Go, Stop], tuple[int, tuple[str, ...]]],
        tell: Callable[[str], None],
    ) -> None:
        self.go = go
        self.is_silent = False
        self._think = think
        self._position = position
        self._tell = tell
        self._stop = Stop()
        self._asked = threading.Event()
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it has not said its move yet."""
        return self._thread.is_alive()

    def end(self) -> None:
        """Stop it, and wait until it has said its move."""
        self._asked.set()
        while self._thread.is_alive():
            self._stop.set()
            self._thread.join(STOP_SECONDS)

    def join(self) -> None:
        """Wait for its end.

        Raises:
            OSError: what it had to say could not be written.
        """
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        try:
            column, lines = self._think(self._position, self.go, self._stop)
            move = column_label(column)
        except (C4Error, MemoryError) as error:
            move = "none"
            lines = (f"info string error: {in_a_line(str(error) or type(error).__name__)}",)
        except Exception as error:  # noqa: BLE001  (raised again by join)
            self._error = error
            return
        if self.go.infinite:
            self._asked.wait()
        try:
            for line in () if self.is_silent else (*lines, f"bestmove {move}"):
                self._tell(line)
        except Exception as error:  # noqa: BLE001  (raised again by join)
            self._error = error


def in_a_line(text: str) -> str:
    """A text without ends of lines and what cannot be seen."""
    line = " ".join(text.split())
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in line)
