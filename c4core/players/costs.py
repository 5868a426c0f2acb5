"""What a player's parameters cost in memory and time, and the limits for untrusted descriptions.

A parameter that costs something has a :class:`Cost` beside its values::

    iterations: Annotated[int, Whole(1, 5_000_000), Cost(bytes=56), "games for a move"] = 1000

The limits hold for players that a client asks a server for, and for players of stored matches.
They do not hold for players with consent (:class:`c4core.players.player.Consent`), such as those
that a command line names. :mod:`c4core.players.untrusted` checks them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

MOST_BYTES: Final = 64 << 20
"""Memory of a player's move: as much as a solver's table has by default."""
MOST_SECONDS: Final = 600.0
"""Expected time of a player's move, if nothing else limits it."""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a parameter's value, for a move.

    Time is an estimate, measured on one core with the empty boards of 7x6 and 9x6. If several
    parameters of a player cost time, the first limit that is reached ends the move.
    """

    bytes: int = 0
    """Bytes for each one of the value."""
    seconds: float = 0.0
    """Seconds for each one of the value, or for a value of 0 if they grow."""
    growth: float = 1.0
    """The factor by which one more multiplies the time; 1 if the time is proportional."""

    def memory_of(self, value: float) -> int:
        """The bytes of a value."""
        return math.ceil(self.bytes * value)

    def time_of(self, value: float) -> float:
        """The seconds of a value."""
        return self.seconds * (value if self.growth == 1 else math.pow(self.growth, value))

    @property
    def most_by_memory(self) -> float:
        """The largest value within the limit of memory."""
        return MOST_BYTES // self.bytes if self.bytes else math.inf

    @property
    def most_by_time(self) -> float:
        """The largest value within the limit of time."""
        if not self.seconds:
            return math.inf
        share = MOST_SECONDS / self.seconds
        return math.floor(share if self.growth == 1 else math.log(share, self.growth))


FREE: Final = Cost()
"""The cost of most parameters."""
