"""Counts what is answered."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from web.middleware.base import HttpMiddleware

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from web.counters import Counters

NO_RESOURCE: Final = "none"
"""In place of a path: strangers ask for any, and each would be kept."""
METHODS: Final = frozenset({"GET", "HEAD", "POST", "OPTIONS"})
OTHER: Final = "other"


class Counting(HttpMiddleware):
    """Counts answers.

    Args:
        app: makes them.
        counters: where they are counted.
    """

    def __init__(self, app: ASGIApp, counters: Counters) -> None:
        super().__init__(app)
        self._counters = counters

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        began = time.perf_counter()
        status = 0

        async def send_noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        finally:
            route = scope.get("route")
            path = NO_RESOURCE if route is None else route.path
            method = scope["method"] if scope["method"] in METHODS else OTHER
            self._counters.note(path, method, status, time.perf_counter() - began)
