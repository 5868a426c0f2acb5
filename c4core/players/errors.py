"""Errors in players' descriptions, and errors of players that cannot continue a game.

Some errors during a move are not the player's fault: a stop, or a machine that is out of memory.
"""

from __future__ import annotations

import errno
from enum import StrEnum
from typing import Final

from c4core.errors import C4Error

_USED_UP: Final = frozenset(
    {errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM, errno.ENOSPC}
)
"""The error numbers of a machine that is out of memory, processes, open files or disk space."""

_NO_THREAD: Final = "can't start new thread"
_NO_TENSOR: Final = "can't allocate memory"


class PlayerError(C4Error, ValueError):
    """A player's description cannot be read, or names something unknown.

    Attributes:
        player: the player's name, or the part of it that was read.
        parameter: the wrong parameter; None if another part is wrong.
    """

    def __init__(self, message: str, *, player: str, parameter: str | None = None) -> None:
        super().__init__(message)
        self.player = player
        self.parameter = parameter


class PlayerMissingError(PlayerError):
    """A player needs packages that are not installed; the message says how to get them."""


class ProgramRefusedError(PlayerError):
    """A player that needs consent, such as a program, has none.

    This is not the player's fault, so the player does not lose the game.
    """


class Failing(StrEnum):
    """The ways in which a player can fail and lose a game."""

    ILLEGAL = "illegal"
    """The player chose a column that is full or outside the board."""
    TIME = "time"
    """The player exceeded its time limit."""
    ERROR = "error"
    """The player raised an exception, or reported that it cannot go on."""
    CRASH = "crash"
    """The player's process could not be started, or ended by itself."""
    NONSENSE = "nonsense"
    """The player's answer was not a column."""


class PlayerFailure(C4Error):  # noqa: N818  (it ends a game, not the program)
    """A player cannot continue, and loses the current game; this has no other effect.

    Attributes:
        failing: the way in which the player failed.
    """

    def __init__(self, failing: Failing, message: str) -> None:
        super().__init__(message)
        self.failing = failing


class StopPlaying(BaseException):
    """The player must stop at once, without a move.

    This is not the player's fault, so it is not an ``Exception``, which would make the player lose.

    Attributes:
        error: the error that stops the player; None if the stop was requested.
    """

    def __init__(self, error: Exception | None = None) -> None:
        super().__init__(str(error) if error is not None else "stopped")
        self.error = error


def is_exhaustion(error: BaseException) -> bool:
    """Whether an error means that this machine has run out of memory, files or other resources.

    Such an error is not a failure of the player.
    """
    if isinstance(error, OSError):
        return error.errno in _USED_UP
    if isinstance(error, RuntimeError):  # Python and PyTorch have no special class for these
        return any(words in str(error) for words in (_NO_THREAD, _NO_TENSOR))
    return isinstance(error, MemoryError)
