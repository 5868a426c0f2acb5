"""JSON responses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

if TYPE_CHECKING:
    from collections.abc import Mapping

JSON: Final = "application/json"
JSON_LINES: Final = "application/x-ndjson"

_ENCODER: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
# Escapes what is not ASCII, so that text with half a surrogate pair can be written as well.


def encode(value: object) -> bytes:
    """A value as compact JSON."""
    return _ENCODER.encode(value).encode()


def json_response(
    value: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """An answer that is one JSON value."""
    return Response(encode(value), status, headers, JSON)
