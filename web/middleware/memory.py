"""Counts the memory that a request holds, and gives it back when it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from web.middleware.base import HttpMiddleware
from web.receiving.memory_room import HELD, Holding

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from web.receiving.memory_room import MemoryRoom


class Memory(HttpMiddleware):
    """Gives each request its holding.

    Args:
        app: answers requests.
        room: of all requests.
    """

    def __init__(self, app: ASGIApp, room: MemoryRoom) -> None:
        super().__init__(app)
        self._room = room

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        client = scope["client"][0] if scope.get("client") else ""
        scope[HELD] = holding = Holding(self._room, client)
        try:
            await self._app(scope, receive, send)
        finally:
            holding.close()
