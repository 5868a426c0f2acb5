"""Values that are written to units in more than one place."""

from __future__ import annotations

from typing import Any, Final

from db.records.jobs import UnitState

ANNOUNCE_FIRST: Final = -1.0
"""``announced_at`` of a unit that was claimed and came back: it is announced first.

Whoever writes the job's results in order has waited longest for this unit.
"""

NEVER_ANNOUNCED: Final = 0.0
"""``announced_at`` of a unit that no message was sent for."""

FREE: Final[dict[str, Any]] = {"owner": None, "lease_until": None}
"""Nobody holds the unit."""

ANEW: Final[dict[str, Any]] = {
    "state": UnitState.QUEUED,
    "attempts": 0,
    "lapses": 0,
    "announced_at": NEVER_ANNOUNCED,
    **FREE,
}
"""Queued as if it had just been planned, but for its fence."""
