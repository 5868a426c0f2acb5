"""Who runs write transactions: a database, or somebody who waits for one that is away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from db.session import Session

T = TypeVar("T")


class Writer(Protocol):
    """Runs write transactions."""

    def run(self, work: Callable[[Session], T]) -> T:
        """As ``Database.run``."""
