"""Words about numbers."""

from __future__ import annotations


def count(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun: ``1 ply``, ``1,234 nodes``.

    Args:
        number: of the things.
        one: the noun for one of them.
        many: for several, where it is not the same with an "s".
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
