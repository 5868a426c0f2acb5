"""Which hosts' names a request may be for, and which pages it may come from.

A page of a stranger may send requests to this server from the browser of somebody who can reach it.
It cannot read the answer to a POST, but the POST would have been done: so one that comes from a
page of another host is refused. By a name of its own that points to this machine (DNS rebinding) it
could pass for a page of this server: so a server that listens to this machine only answers only to
names of this machine.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from web.errors import ApiError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from web.settings import Settings

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class Origins:
    """Refuses requests that are for others, or from pages of others.

    Args:
        app: answers the other requests.
        names: hosts that a request may be for; None for any.
    """

    def __init__(self, app: ASGIApp, names: frozenset[str] | None) -> None:
        self._app = app
        self._names = names
        self._known_hosts: set[bytes] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "http":
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
                return ApiError(403, "this server answers only to names of its own machine")
            if len(self._known_hosts) < len(self._names) * 4:
                self._known_hosts.add(host)
        if scope["method"] not in _READING and not is_own(host, origin, site):
            return ApiError(403, "pages of other hosts may only read")
        return None


def allowed_names(settings: Settings) -> frozenset[str] | None:
    """The names that a server answers to.

    Returns:
        None where it has a token and listens to other machines: nobody knows what they call it.
    """
    host = settings.host.lower()
    if settings.token is not None and not is_loopback(host):
        return None
    return LOCAL_NAMES | {f"[{host}]" if ":" in host else host}


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
