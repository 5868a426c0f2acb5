"""The engine's errors at bad input. Every error carries the datum that was wrong.

All are :class:`C4Error`, and :class:`ValueError` too, so that callers who know only the standard
library catch them as well.
"""

from __future__ import annotations


class C4Error(Exception):
    """Base class of everything that this project raises on purpose.

    Every subclass can be pickled, whatever its constructor takes: a pool of processes sends errors
    home that way, and one that cannot be unpickled there breaks the pool.
    """

    def __reduce__(self) -> tuple[object, ...]:
        """The class, the arguments and the attributes; the constructor is not called again."""
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[C4Error], arguments: tuple[object, ...]) -> C4Error:
    """An error as it was raised, still without its attributes."""
    error = kind.__new__(kind, *arguments)
    # The constructor of the standard library's class beside C4Error: ImportError sets its own text.
    super(C4Error, error).__init__(*arguments)
    return error


class BoardError(C4Error, ValueError):
    """A board size that cannot be read or cannot be played on.

    Attributes:
        size: the text or the ``(width, height)`` pair that was given.
    """

    def __init__(self, message: str, *, size: object = None) -> None:
        super().__init__(message)
        self.size = size


class MoveError(C4Error, ValueError):
    """A move that cannot be read or cannot be played.

    Attributes:
        kind: ``"syntax"`` (no column), ``"range"`` (column outside the board), ``"full"`` (the
            column is full) or ``"over"`` (the game has ended before this move).
        column: the 0-based column, or None where the text names none.
        index: the move's 0-based index in the sequence it came from, or None for a single move.
    """

    def __init__(
        self, message: str, *, kind: str, column: int | None = None, index: int | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.column = column
        self.index = index


class GridError(C4Error, ValueError):
    """A text grid that is no position: shape, characters, floating stones or stone counts.

    Attributes:
        row: the 0-based row from the top that was wrong, or None where the whole grid is.
    """

    def __init__(self, message: str, *, row: int | None = None) -> None:
        super().__init__(message)
        self.row = row


class KeyValueError(C4Error, ValueError):
    """A number that is no position's key on the given board.

    Attributes:
        key: the number that was given.
    """

    def __init__(self, message: str, *, key: int) -> None:
        super().__init__(message)
        self.key = key
