"""Who may change anything: make a job, cancel one, go on with one."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from web.errors import ApiError
from web.middleware.origins import is_own
from web.service import service_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from db.database import Database


def require_write(request: Request) -> Database:
    """The database, for a request that changes something.

    Raises:
        ApiError: 401, the request does not have the server's token; 403, the server only reads, or
            the request comes from a page of another host, as any page may send a GET; 503, the
            server has no database.
    """
    service = service_of(request)
    names = ("host", "origin", "sec-fetch-site")
    if not is_own(*(request.headers.get(name, "").encode("latin-1") for name in names)):
        raise ApiError(403, "pages of other hosts may only read")
    token = service.settings.token
    if token is not None and not _has_token(request, token):
        raise ApiError(
            401,
            "this changes something: send the server's token as Authorization: Bearer TOKEN",
            headers={"WWW-Authenticate": 'Bearer realm="c4"'},
        )
    return service.require_writable()


def _has_token(request: Request, token: str) -> bool:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    # Compared as bytes: of texts only those in ASCII can be compared in constant time.
    return scheme.lower() == "bearer" and secrets.compare_digest(
        given.strip().encode(), token.encode()
    )
