"""Time limits of games, and the time that the players have left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.players.player import NO_LIMITS, Limits
from c4core.players.stopping import Stop

if TYPE_CHECKING:
    from c4core.position import Side


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long moves and games may take, in wall-clock seconds.

    Raises:
        ValueError: a time is not positive.
    """

    move: float | None = None
    """Seconds for each move; None for no limit."""
    game: float | None = None
    """Seconds for all moves of a player together; None for no limit."""
    grace: float = 0.1
    """Seconds by which a move may exceed its limit without losing the game."""

    def __post_init__(self) -> None:
        """Check the times."""
        for name in ("move", "game"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise ValueError(f"time for a {name} must be positive, not {seconds}")
        if not self.grace >= 0:
            raise ValueError(f"the grace time cannot be negative: {self.grace}")

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return self.move is not None or self.game is not None


NO_CLOCK: Final = TimeControl()


class Clock:
    """The time that both players have left in a game.

    Args:
        control: the time limits.
        stop: when it is set, all moves end; None if that never happens.
    """

    def __init__(self, control: TimeControl, stop: Stop | None = None) -> None:
        self._control = control
        self._stop = stop
        self._unlimited = NO_LIMITS if stop is None else Limits(stop=stop)
        self._used: dict[Side, float] = {"x": 0.0, "o": 0.0}

    def limits(self, side: Side) -> Limits:
        """The limits of a player's next move, which begins now.

        The limits' stop is set at the moment when the move becomes too late.
        """
        seconds = self._seconds(side)
        if seconds is None:
            return self._unlimited
        grace = self._control.grace
        return Limits(seconds, grace, (self._stop or Stop()).within(seconds + grace))

    def take(self, side: Side, seconds: float) -> bool:
        """Deduct the time of a move. Returns whether it was too long."""
        allowed = self._seconds(side)
        self._used[side] += seconds
        return allowed is not None and seconds > allowed + self._control.grace

    def _seconds(self, side: Side) -> float | None:
        """The seconds for a player's next move; None for no limit."""
        move, game = self._control.move, self._control.game
        if game is None:
            return move
        left = max(game - self._used[side], 0.0)
        return left if move is None else min(move, left)
