"""Words about numbers."""

from __future__ import annotations

from datetime import UTC, datetime


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 ply``, ``1,234 nodes``.

    Args:
        number: of the things.
        one: the noun for one of them.
        many: the noun for several of them, unless it is ``one`` with an "s".
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def time_text(seconds: float | None) -> str | None:
    """Epoch seconds as a time in UTC: ``2026-01-31T12:00:00Z``."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
