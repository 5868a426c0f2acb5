"""What all that stands before the application has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from starlette.types import ASGIApp, Receive, Scope, Send


class HttpMiddleware(ABC):
    """Stands before an application in the way of requests; all else passes untouched.

    Args:
        app: makes the answers.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer a request, or pass on what is none."""
        answer = self.answer if scope["type"] == "http" else self._app
        return answer(scope, receive, send)

    @abstractmethod
    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
