"""Headers of every answer: what a browser may do with it, and who may read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from web.middleware.base import HttpMiddleware

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
"""Nothing from another host, nothing that is written into the page."""

SECURITY: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)
READABLE: Final = ((b"access-control-allow-origin", b"*"),)
"""Pages of other hosts may read what is asked with GET; POST is refused to them before."""
NEVER_KEPT: Final = (b"cache-control", b"no-store")

PREFLIGHT: Final = (
    *READABLE,
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", b"*"),
    (b"access-control-max-age", b"86400"),
)


class Headers(HttpMiddleware):
    """Adds the headers, and answers browsers that ask what they may do.

    Args:
        app: makes the answers.
    """

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        method = scope["method"]
        if method == "OPTIONS" and _is_preflight(scope):
            await send(
                {"type": "http.response.start", "status": 204, "headers": [*PREFLIGHT, *SECURITY]}
            )
            await send({"type": "http.response.body", "body": b""})
            return
        added = (*SECURITY, *READABLE) if method in {"GET", "HEAD"} else SECURITY

        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = message["headers"]
                headers.extend(added)
                if not any(name == b"cache-control" for name, _ in headers):
                    headers.append(NEVER_KEPT)
            await send(message)

        await self._app(scope, receive, send_with)


def _is_preflight(scope: Scope) -> bool:
    return any(name == b"access-control-request-method" for name, _ in scope["headers"])
