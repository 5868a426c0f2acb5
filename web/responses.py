"""Answers: JSON, and JSON Lines as a stream."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from starlette.responses import Response, StreamingResponse

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Mapping

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


def jsonl_response(
    values: AsyncIterable[object], headers: Mapping[str, str] | None = None
) -> StreamingResponse:
    """An answer that is a line of JSON for each value, written as they come.

    An error after the first line ends the stream in its midst: the client sees that the answer is
    not complete. So put what may be wrong with a line into the line.

    Args:
        values: one for each line.
        headers: further ones.
    """

    async def lines() -> AsyncIterable[bytes]:
        async for value in values:
            yield encode(value) + b"\n"

    return StreamingResponse(lines(), headers=headers, media_type=JSON_LINES)
