"""Memory that requests of all clients hold at the same time: bodies, and what players ask for."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from web.errors import RETRY_SECONDS, ApiError, unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

HELD: Final = "c4.memory"
"""The key of a request's :class:`Holding` in its scope."""


class MemoryRoom:
    """Memory that all requests share. For the event loop only.

    Args:
        most: bytes of all clients.
        most_per_client: bytes of one client.
    """

    def __init__(self, most: int, most_per_client: int) -> None:
        self._most = most
        self._most_per_client = most_per_client
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """Bytes that are in use."""
        return self._taken.total()

    def take(self, client: str, size: int) -> None:
        """Take bytes for a client.

        Raises:
            ApiError: 429, the client holds too much; 503, all clients together do.
        """
        if self._taken[client] + size > self._most_per_client:
            raise ApiError(
                429,
                f"your requests hold {self._taken[client]:,} bytes of memory and this one needs "
                f"{size:,} more, but one client gets {self._most_per_client:,}; wait until another "
                "request of yours has ended",
                headers={"Retry-After": str(RETRY_SECONDS)},
            )
        if self._taken.total() + size > self._most:
            raise unavailable(
                f"the requests of all clients hold {self._taken.total():,} bytes of memory, and "
                f"the server gives them {self._most:,}; try again later"
            )
        self._taken[client] += size

    def give_back(self, client: str, size: int) -> None:
        """Give back bytes that a client has taken."""
        self._taken[client] -= size
        if not self._taken[client]:
            del self._taken[client]


class Holding:
    """The memory that one request holds, until it is answered.

    Args:
        room: of all requests.
        client: whose request it is.
    """

    def __init__(self, room: MemoryRoom, client: str) -> None:
        self._room = room
        self._client = client
        self._size = 0

    def take(self, size: int) -> None:
        """Take some more bytes.

        Raises:
            ApiError: as :meth:`MemoryRoom.take`.
        """
        if size:
            self._room.take(self._client, size)
            self._size += size

    def close(self) -> None:
        """Give everything back."""
        if self._size:
            self._room.give_back(self._client, self._size)
            self._size = 0


def holding_of(scope: Mapping[str, Any]) -> Holding:
    """The memory that a request holds."""
    found: Holding = scope[HELD]
    return found
