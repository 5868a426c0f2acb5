"""Responses: JSON values, and errors as ``{"error": "...", "field": "..."}`` with a status.

Errors of the library get their status here. Any other error is a bug: status 500, and a traceback
in the log.
"""

from __future__ import annotations

import json
import logging
import re
from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

from msgspec import Meta
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from c4core.errors import BookError, C4Error
from c4core.players.errors import (
    PlayerError,
    PlayerMissingError,
    ProgramRefusedError,
)
from db.errors import (
    BusyError,
    GameNotFoundError,
    JobNotFoundError,
    JobStateError,
    MatchInUseError,
    MatchNotFoundError,
    ReadOnlyError,
    StorageError,
)
from workers.errors import BrokerError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from starlette.requests import Request

JSON: Final = "application/json"
JSON_LINES: Final = "application/x-ndjson"
CSV: Final = "text/csv"

UNBUFFERED: Final = {"X-Accel-Buffering": "no"}
"""The header that asks proxies to pass on every line at once."""

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
# Non-ASCII characters are escaped, so that lone surrogates can be written.


def encode(value: object) -> bytes:
    """Encode a value as compact JSON."""
    return _ENCODER.encode(value).encode()


_DIRECTORIES: Final = re.compile(r"(?<![\w/.-])/(?:[^/\s'\",;=]+/)+")
"""Matches the directories of absolute paths, but not the host of a URL."""


def without_directories(value: Any) -> Any:  # noqa: ANN401 (any JSON value)
    """Remove the directories of absolute paths from a JSON value.

    Errors of units and descriptions of players may contain paths; clients need only file names.
    """
    if isinstance(value, str):
        return _DIRECTORIES.sub("", value)
    if isinstance(value, dict):
        return {key: without_directories(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_directories(each) for each in value]
    return value


def json_response(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """A response with a JSON value."""
    return Response(encode(value), status, headers, JSON)


NOT_FOUND: Final = 404
METHOD_NOT_ALLOWED: Final = 405
LOGGER: Final = logging.getLogger("c4.web")

CLIENT_GONE: Final = 499
"""The status of a response whose client has disconnected."""

RETRY_SECONDS: Final = 1
"""``Retry-After`` of requests that were refused because something is busy or unavailable."""


class Error(TypedDict):
    """An error."""

    error: Annotated[str, Meta(description="The message for people.")]
    field: Annotated[str | None, Meta(description="The wrong parameter; null if there is none.")]


class ApiError(C4Error):
    """An error response; ``field`` is the wrong parameter."""

    def __init__(
        self,
        status: int,
        message: str,
        field: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.field = field
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """The error as a response."""
        problem: Error = {"error": self.message, "field": self.field}
        return json_response(problem, self.status, self.headers)


LONGEST_QUOTE: Final = 40
"""Maximum number of characters of a value that a message quotes."""


def quote(value: object) -> str:
    """A value for a message, as one short line."""
    shown = json.dumps(value) if isinstance(value, str | int | float | None) else "that"
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}..."


def too_many(message: str) -> ApiError:
    """A 429 with ``Retry-After``."""
    return ApiError(429, message, headers={"Retry-After": str(RETRY_SECONDS)})


def unavailable(message: str, field: str | None = None) -> ApiError:
    """A 503 with ``Retry-After``."""
    return ApiError(503, message, field, {"Retry-After": str(RETRY_SECONDS)})


def hidden(message: str, error: Exception) -> ApiError:
    """A 503 for an error whose message is only logged, because it may name files and addresses."""
    LOGGER.warning("%s: %s", message, error)
    return unavailable(f"{message}; see the server's log")


_SHOWN: Final[dict[type[Exception], tuple[int, str | None]]] = {
    C4Error: (400, None),
    PlayerError: (400, "player"),
    ProgramRefusedError: (403, "player"),
    PlayerMissingError: (501, "player"),
    JobNotFoundError: (404, None),
    MatchNotFoundError: (404, None),
    GameNotFoundError: (404, None),
    JobStateError: (409, None),
    MatchInUseError: (409, None),
}
"""Status and field of the errors whose message the client gets."""
_HIDDEN: Final[dict[type[Exception], str]] = {
    BrokerError: "the broker does not answer",
    StorageError: "the database cannot be used now",
    BusyError: "the database is busy",
    ReadOnlyError: "the database cannot be written",
    BookError: "the server's book cannot be read",
}
"""The client's message for errors whose own message is only logged."""


def as_api_error(error: Exception) -> ApiError:
    """The error response for any exception."""
    if isinstance(error, ApiError):
        return error
    if isinstance(error, HTTPException):
        is_unknown = error.status_code == NOT_FOUND
        message = "this path does not exist" if is_unknown else error.detail
        return ApiError(error.status_code, message, headers=error.headers)
    for kind in type(error).__mro__:
        if kind in _SHOWN:
            status, field = _SHOWN[kind]
            return ApiError(status, str(error), field)
        if kind in _HIDDEN:
            answer = hidden(_HIDDEN[kind], error)
            return ApiError(409, answer.message) if kind is ReadOnlyError else answer
    LOGGER.error("a fault in c4: %s: %s", type(error).__name__, error, exc_info=error)
    return ApiError(500, f"a fault in c4: {type(error).__name__}; see the server's log")


async def answer_error(request: Request, error: Exception) -> Response:
    """The response to a request that ended in an error."""
    if isinstance(error, HTTPException) and error.status_code == METHOD_NOT_ALLOWED:
        allowed = ", ".join(sorted(_methods(request)))
        message = f"this path answers {allowed} only, not {request.method}"
        error = ApiError(METHOD_NOT_ALLOWED, message, headers={"Allow": allowed})
    return as_api_error(error).response()


def _methods(request: Request) -> set[str]:
    """The methods of all routes with the request's path."""
    return {
        method
        for route in request.app.routes
        if route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods or ()
    }


HANDLERS: Final[dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]]] = {
    HTTPException: answer_error,
    C4Error: answer_error,
}
"""Starlette's exception handlers; ``web.middleware`` handles all other errors."""
