"""What players raise: at a description that names none, and when one cannot go on with a game.

Some of it is raised while a player plays and is not the player's fault: a stop, or a machine that
has run out of something.
"""

from __future__ import annotations

import errno
from enum import StrEnum
from typing import Final

from c4core.errors import C4Error

_USED_UP: Final = frozenset(
    {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ENOSPC}
)
"""Errors of a machine that has no more memory, processes, open files or room on its disk."""

_NO_THREAD: Final = "can't start new thread"
_NO_TENSOR: Final = "can't allocate memory"


class PlayerError(C4Error, ValueError):
    """A player's description that cannot be read, or names something unknown.

    Attributes:
        player: the player's name, as far as it was read.
        parameter: the parameter that is wrong, or None where another part is.
    """

    def __init__(self, message: str, *, player: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.player = player
        self.parameter = parameter


class PlayerMissingError(PlayerError):
    """A player that needs packages which are not installed; the message says how to get them."""


class ProgramRefusedError(PlayerError):
    """A player that is a program, where nobody has consented to start it.

    It is not the player's fault, so no game is lost by it.
    """


class Failing(StrEnum):
    """How a player can lose a game other than on the board."""

    ILLEGAL = "illegal"
    """It chose a column that is full or outside the board."""
    TIME = "time"
    """It took longer than it was allowed."""
    ERROR = "error"
    """It raised an exception, or said that it cannot go on."""
    CRASH = "crash"
    """Its process could not be started, or ended by itself."""
    NONSENSE = "nonsense"
    """What it answered is no column."""


class PlayerFailure(C4Error):  # noqa: N818  (it ends a game, not the program)
    """A player cannot go on: it loses the game that is being played, and nothing else.

    Attributes:
        failing: in which way.
    """

    def __init__(self, failing: Failing, message: str) -> None:
        super().__init__(message)
        self.failing = failing


class StopPlaying(BaseException):
    """Whoever plays is to stop at once, and there is no move.

    It is no fault of a player's, so it is no ``Exception``: a game takes those for a player's own.

    Attributes:
        error: what has gone wrong; None where somebody has said to stop.
    """

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(str(error) if error is not None else "stopped")
        self.error = error


def is_exhaustion(error: BaseException) -> bool:
    """Whether an error says that this machine has run out of something.

    Then nobody knows how the player would have moved, and it has not failed.
    """
    if isinstance(error, OSError):
        return error.errno in _USED_UP
    if isinstance(error, RuntimeError):  # Python and PyTorch have no better name for these
        return any(words in str(error) for words in (_NO_THREAD, _NO_TENSOR))
    return isinstance(error, MemoryError)
