"""How many requests a client may make: a bucket of tokens for each address."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from web.errors import ApiError
from web.middleware.base import HttpMiddleware

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

    from web.settings import Limits

MOST_CLIENTS: Final = 10_000
"""Addresses that are remembered: the one that was silent for the longest time is forgotten."""


class Rate(HttpMiddleware):
    """Refuses requests of clients that make too many.

    Args:
        app: answers the other requests.
        limits: say how many are too many.
        clock: seconds, monotonic.
    """

    def __init__(
        self, app: ASGIApp, limits: Limits, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__(app)
        self._rate = limits.requests_per_second
        self._burst = limits.burst
        self._clock = clock
        self._full_at: OrderedDict[str, float] = OrderedDict()
        """When the bucket of an address will be full again."""

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if self._rate != math.inf:
            wait = self._take(scope["client"][0] if scope.get("client") else "")
            if wait > 0:
                error = ApiError(
                    429,
                    f"more than {self._rate:g} requests a second; wait a moment",
                    headers={"Retry-After": str(math.ceil(wait))},
                )
                await error.response()(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _take(self, client: str) -> float:
        """Take a token of a client; the seconds until there is one, or 0 if there was."""
        now = self._clock()
        clients = self._full_at
        full_at = max(clients.get(client, now), now) + 1 / self._rate
        wait = full_at - now - self._burst / self._rate
        if wait > 1e-9:  # noqa: PLR2004 (rounding)
            return wait
        clients[client] = full_at
        clients.move_to_end(client)
        if len(clients) > MOST_CLIENTS:
            clients.popitem(last=False)
        return 0.0
