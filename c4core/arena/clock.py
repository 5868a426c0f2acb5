"""Time in games: what is allowed, and what is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.players.base import NO_LIMITS, Limits

if TYPE_CHECKING:
    from c4core.position import Side


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long moves and games may take, in wall-clock seconds.

    Raises:
        ValueError: a time is not positive.
    """

    move: float | None = None
    """For each move; None for no limit."""
    game: float | None = None
    """For all moves of a player together; None for no limit."""
    grace: float = 0.1
    """More than that for each move before it is too late."""

    def __post_init__(self) -> None:
        """Check the times."""
        for name in ("move", "game"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise ValueError(f"time for a {name} must be positive, not {seconds}")
        if not self.grace >= 0:
            raise ValueError(f"the time of grace cannot be negative: {self.grace}")

    @property
    def is_limited(self) -> bool:
        """Whether there is any limit."""
        return self.move is not None or self.game is not None


NO_CLOCK: Final = TimeControl()


class Clock:
    """What both players have left of a game's time.

    Args:
        control: what is allowed.
    """

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self._used: dict[Side, float] = {"x": 0.0, "o": 0.0}

    def limits(self, side: Side) -> Limits:
        """What a player may spend on its next move."""
        control = self._control
        if not control.is_limited:
            return NO_LIMITS
        seconds = control.move
        if control.game is not None:
            left = max(control.game - self._used[side], 0.0)
            seconds = left if seconds is None else min(seconds, left)
        return Limits(seconds, control.grace)

    def take(self, side: Side, seconds: float) -> bool:
        """Take the time of a move off; whether it was too long."""
        limits = self.limits(side)
        self._used[side] += seconds
        return limits.seconds is not None and seconds > limits.seconds + limits.grace
