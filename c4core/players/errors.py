"""What players raise: at a description that names none, and when one cannot go on with a game."""

from __future__ import annotations

from enum import StrEnum

from c4core.errors import C4Error


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
