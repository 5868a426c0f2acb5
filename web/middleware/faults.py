"""The last place where an error becomes an answer: nothing gets past it while there is time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from web.errors import CLIENT_GONE, LOGGER, ApiError, as_api_error
from web.middleware.base import HttpMiddleware

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send


class Faults(HttpMiddleware):
    """Answers requests that have ended in an error.

    Args:
        app: makes the answers.
    """

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        has_begun = False

        async def send_noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_noted)
        except Exception as error:  # noqa: BLE001 (nothing passes this boundary)
            answer = as_api_error(_cause(error))
            if not has_begun:
                await answer.response()(scope, receive, send)
            elif answer.status != CLIENT_GONE:
                # The server sees an answer without an end, and closes the connection.
                LOGGER.warning("an answer was broken off: %s", answer.message)


def _cause(error: Exception) -> Exception:
    """What went wrong: Starlette hides an error after the answer's beginning behind its own."""
    cause = error.__cause__
    if isinstance(error, RuntimeError) and isinstance(cause, ApiError):
        return cause
    return error
