"""Limits of the memory and disk space that requests hold: bodies and players' trees."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from web.middleware import HttpMiddleware
from web.responses import RETRY_SECONDS, ApiError, unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from starlette.types import ASGIApp, Receive, Scope, Send

HELD: Final = "c4.memory"
"""The key of a request's :class:`RequestMemory` in its scope."""


class MemoryQuota:
    """The memory that all requests share. For the event loop only."""

    def __init__(self, most: int, most_per_client: int) -> None:
        self._most = most
        self._most_per_client = most_per_client
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """Number of bytes in use."""
        return self._taken.total()

    def take(self, client: str, size: int) -> None:
        """Reserve bytes for a client; raise an :class:`ApiError` if too few are free."""
        if self._taken[client] + size > self._most_per_client:
            raise ApiError(
                429,
                f"your requests hold {self._taken[client]:,} bytes of memory and this one needs "
                f"{size:,} more, but the limit for one client is {self._most_per_client:,}; wait "
                "until another of your requests ends",
                headers={"Retry-After": str(RETRY_SECONDS)},
            )
        if self._taken.total() + size > self._most:
            raise unavailable(
                f"the requests of all clients hold {self._taken.total():,} bytes of memory, and "
                f"the limit is {self._most:,}; try again later"
            )
        self._taken[client] += size

    def give_back(self, client: str, size: int) -> None:
        """Release bytes of a client."""
        self._taken[client] -= size
        if not self._taken[client]:
            del self._taken[client]


class RequestMemory:
    """The memory that one request holds, until it is answered."""

    def __init__(self, room: MemoryQuota, client: str) -> None:
        self._room = room
        self._client = client
        self._size = 0

    def take(self, size: int) -> None:
        """Reserve more bytes."""
        if size:
            self._room.take(self._client, size)
            self._size += size

    def close(self) -> None:
        """Release all bytes."""
        if self._size:
            self._room.give_back(self._client, self._size)
            self._size = 0


def memory_of_request(scope: Mapping[str, Any]) -> RequestMemory:
    """The memory that a request holds."""
    found: RequestMemory = scope[HELD]
    return found


class Memory(HttpMiddleware):
    """Middleware that gives each request its :class:`RequestMemory`."""

    def __init__(self, app: ASGIApp, room: MemoryQuota) -> None:
        super().__init__(app)
        self._room = room

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on; release its memory at the end."""
        client = scope["client"][0] if scope.get("client") else ""
        scope[HELD] = holding = RequestMemory(self._room, client)
        try:
            await self._app(scope, receive, send)
        finally:
            holding.close()


class DiskQuota:
    """The disk space that all clients share. For the event loop only."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._taken = 0

    @property
    def taken(self) -> int:
        """Number of bytes in use."""
        return self._taken

    def take(self, size: int) -> bool:
        """Reserve bytes; return False if too few are free."""
        if self._taken + size > self._most:
            return False
        self._taken += size
        return True

    def give_back(self, size: int) -> None:
        """Release bytes."""
        self._taken -= size

    def refusal(self) -> ApiError:
        """The error if no space is left: a 503 with ``Retry-After``."""
        return unavailable(
            f"waiting requests use all {self._most:,} bytes of disk space for bodies; "
            "try again later"
        )

    def check(self) -> None:
        """Raise an :class:`ApiError` if no space is left."""
        if self._taken >= self._most:
            raise self.refusal()
