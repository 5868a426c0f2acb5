"""Access checks: the client's address, the host name, the page of origin, and the token."""

from __future__ import annotations

import re
import secrets
from functools import lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from web.middleware import HttpMiddleware
from web.responses import ApiError
from web.service import service_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from db.database import Database
    from web.settings import ServerSettings

_PREFIX: Final = 64
"""Prefix length of an IPv6 client: all addresses in a /64 count as one client."""


class Clients(HttpMiddleware):
    """Middleware that replaces the client's address by the name that identifies the client.

    Behind trusted proxies, uvicorn has already replaced the proxy's address by its client's.
    """

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace the client's address, and pass the request on."""
        if scope.get("client"):
            address, port = scope["client"]
            scope["client"] = (client_name(address), port)
        await self._app(scope, receive, send)


@lru_cache(maxsize=4096)
def client_name(address: str) -> str:
    """The name that identifies a client: its IPv4 address, or the /64 of its IPv6 address."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address) and not found.is_loopback:
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Network((int(found), _PREFIX), strict=False).network_address)
    return str(found)


MONITORING: Final = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths that answer to every host name: probes and Prometheus use the address of a pod. Pages of
other hosts may read them anyway, as all answers to ``GET``."""
LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_NAME: Final = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.IGNORECASE)
_IPV6: Final = 6


class Origins(HttpMiddleware):
    """Middleware that refuses requests to other host names, and writes from other hosts' pages."""

    def __init__(self, app: ASGIApp, names: frozenset[str] | None) -> None:
        super().__init__(app)
        self._names = names
        self._known_hosts: set[bytes] = set()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or pass it on."""
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
        if (
            self._names is not None
            and host not in self._known_hosts
            and scope["path"] not in MONITORING
        ):
            if host_name(host.decode("latin-1")) not in self._names:
                return ApiError(
                    403, "this server does not answer to this host name; add it with --allow-host"
                )
            if len(self._known_hosts) < len(self._names) * 4:
                self._known_hosts.add(host)
        if scope["method"] not in _READING and not is_own(host, origin, site):
            return ApiError(403, "pages of other hosts may only read")
        return None


def allowed_names(settings: ServerSettings) -> frozenset[str] | None:
    """The host names that a server answers to; None for any name."""
    host = settings.host.lower()
    if settings.token is not None and not is_loopback(host) and not settings.allowed_hosts:
        return None
    own = LOCAL_NAMES | {f"[{host}]" if ":" in host else host}
    return own.union(map(str.lower, settings.allowed_hosts))


def is_host_name(name: str) -> bool:
    """Whether this is a valid host name: ASCII, without a scheme or a port."""
    if name.startswith("[") and name.endswith("]"):
        try:
            return ip_address(name[1:-1]).version == _IPV6
        except ValueError:
            return False
    return _NAME.fullmatch(name) is not None


def is_loopback(host: str) -> bool:
    """Whether a host name or address can be reached only from this machine."""
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
    """Whether a request comes from a page of this server, or not from a page."""
    if not origin:
        return site not in {b"cross-site", b"same-site"}
    try:
        place = urlsplit(origin.decode("latin-1")).netloc
    except ValueError:
        return False
    return place.lower() == host.decode("latin-1").lower()


def require_write(request: Request) -> Database:
    """Check the origin and the token of a request that changes data; return the database."""
    service = service_of(request)
    names = ("host", "origin", "sec-fetch-site")
    if not is_own(*(request.headers.get(name, "").encode("latin-1") for name in names)):
        raise ApiError(403, "pages of other hosts may only read")
    token = service.settings.token
    if token is not None and not _has_token(request, token):
        raise ApiError(
            401,
            "this request changes data: send the server's token as Authorization: Bearer TOKEN",
            headers={"WWW-Authenticate": 'Bearer realm="c4"'},
        )
    return service.require_writable()


def _has_token(request: Request, token: str) -> bool:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    # Compared as bytes: compare_digest takes text only if it is ASCII.
    return scheme.lower() == "bearer" and secrets.compare_digest(
        given.strip().encode(), token.encode()
    )
