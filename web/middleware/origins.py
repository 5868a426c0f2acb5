"""Which hosts' names a request may be for, and which pages it may come from.

A page of a stranger may send requests to this server from the browser of somebody who can reach it.
It cannot read the answer to a POST, but the POST would have been done: so one that comes from a
page of another host is refused. By a name of its own that points to this machine (DNS rebinding) it
could pass for a page of this server: so a server that listens to this machine only answers only to
names of this machine, and to those that it was told of because a proxy is reached by them.
"""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from web.errors import ApiError
from web.middleware.base import HttpMiddleware

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from web.settings import Settings

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.IGNORECASE)
_IPV6: Final = 6


class Origins(HttpMiddleware):
    """Refuses requests that are for others, or from pages of others.

    Args:
        app: answers the other requests.
        names: hosts that a request may be for; None for any.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str] | None) -> None:
        super().__init__(app)
        self._names = names
        self._known_hosts: set[bytes] = set()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        error = self._refusal(scope)
        if error is not None:
            await error.response()(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _refusal(self, scope: Scope) -> ApiError | None:
        host = origin = site = b""
        for name, value in scope["headers"]:
            if name == b"host":
                host = value
            elif name == b"origin":
                origin = value
            elif name == b"sec-fetch-site":
                site = value
        if self._names is not None and host not in self._known_hosts:
            if host_name(host.decode("latin-1")) not in self._names:
                return ApiError(
                    403, "this server does not answer to this name; --allow-host adds one"
                )
            if len(self._known_hosts) < len(self._names) * 4:
                self._known_hosts.add(host)
        if scope["method"] not in _READING and not is_own(host, origin, site):
            return ApiError(403, "pages of other hosts may only read")
        return None


def allowed_names(settings: Settings) -> frozenset[str] | None:
    """The names that a server answers to.

    Returns:
        None for any: it has a token and listens to other machines, and was not told what they call
        it.
    """
    host = settings.host.lower()
    if settings.token is not None and not is_loopback(host) and not settings.allowed_hosts:
        return None
    own = LOCAL_NAMES | {f"[{host}]" if ":" in host else host}
    return own.union(map(str.lower, settings.allowed_hosts))


def is_host_name(name: str) -> bool:
    """Whether a header ``Host`` can have this name: no scheme, no port, nothing but ASCII."""
    if name.startswith("[") and name.endswith("]"):
        try:
            return ip_address(name[1:-1]).version == _IPV6
        except ValueError:
            return False
    return _NAME.fullmatch(name) is not None


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach what listens there, by its name or address."""
    try:
        return host.lower() == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def host_name(host: str) -> str:
    """The name in a ``Host`` header, without the port."""
    name, colon, port = host.rpartition(":")
    if colon and (not port or port.isdecimal()) and (name.startswith("[") or ":" not in name):
        host = name
    return host.lower()


def is_own(host: bytes, origin: bytes, site: bytes) -> bool:
    """Whether a request comes from a page of this server, or from no page at all.

    Args:
        host: its header ``Host``.
        origin: its header ``Origin``; empty for none.
        site: its header ``Sec-Fetch-Site``; empty for none.
    """
    if not origin:
        return site not in {b"cross-site", b"same-site"}
    try:
        place = urlsplit(origin.decode("latin-1")).netloc
    except ValueError:
        return False
    return place.lower() == host.decode("latin-1").lower()
