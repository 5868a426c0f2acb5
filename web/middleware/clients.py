"""Which client a request is from: its address, or the one that a trusted proxy names.

Limits for one client count by this address. Everybody can send the header ``X-Forwarded-For``, so
it counts only on connections of proxies that the server was told of.
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Final

from web.middleware.base import HttpMiddleware

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.types import ASGIApp, Receive, Scope, Send

_PREFIX: Final = 64
"""Bits of an IPv6 address that tell clients apart: one client has all addresses below them."""


class Clients(HttpMiddleware):
    """Puts the client's address into the scope of each request.

    Args:
        app: answers requests.
        proxies: addresses of trusted proxies, from :func:`client_name`.
    """

    def __init__(self, app: ASGIApp, proxies: frozenset[str]) -> None:
        super().__init__(app)
        self._proxies = proxies

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope.get("client"):
            address, port = scope["client"]
            client = client_name(address)
            if client in self._proxies:
                client = self._forwarded(scope["headers"]) or client
            scope["client"] = (client, port)
        await self._app(scope, receive, send)

    def _forwarded(self, headers: Iterable[tuple[bytes, bytes]]) -> str | None:
        """The last address that no trusted proxy has; None if there is none.

        Each proxy adds the address of its own client at the end. Whatever comes before the first
        untrusted one from the end may be invented.
        """
        values = [value for name, value in headers if name == b"x-forwarded-for"]
        for text in reversed(b",".join(values).decode("latin-1").split(",")):
            client = client_name(text.strip())
            if not is_address(client):
                return None
            if client not in self._proxies:
                return client
        return None


@lru_cache(maxsize=4096)
def client_name(address: str) -> str:
    """The name by which a client is counted: its IPv4 address, or the /64 of its IPv6 address."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        if not found.is_loopback:
            return str(IPv6Network((int(found), _PREFIX), strict=False).network_address)
    return str(found)


def is_address(text: str) -> bool:
    """Whether a text is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
