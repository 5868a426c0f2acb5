"""Bodies of requests that are read as a whole: JSON objects, and files."""

from __future__ import annotations

import asyncio
import json
import math
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager
from typing import IO, TYPE_CHECKING, Final, NoReturn, cast

from starlette.requests import ClientDisconnect

from c4core.lines import TOO_DEEP, is_too_deep
from web.errors import ApiError, hidden
from web.parameters import quote
from web.receiving.memory_room import holding_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

    from web.receiving.disk_room import DiskRoom
    from web.settings import Limits

LARGEST_FILE: Final = 256 * 1024 * 1024
"""Bytes: some ten million lines."""
MOST_IN_MEMORY: Final = 256 * 1024
"""Bytes; what is larger goes to the disk."""


def refuse_encoded(request: Request) -> None:
    """Refuse a body that is compressed: nobody knows how large it is.

    Raises:
        ApiError: 415.
    """
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise ApiError(415, "the body must not be compressed")


@asynccontextmanager
async def whole_body(request: Request, room: DiskRoom, limits: Limits) -> AsyncIterator[IO[bytes]]:
    """The body as a file, at its beginning.

    Args:
        request: whose body it is.
        room: on disk, for all bodies.
        limits: of the server; the largest body has :data:`LARGEST_FILE` bytes.

    Raises:
        ApiError: 400, it has not arrived as a whole; 408, it comes too slowly; 413, it is too
            large; 415, it is compressed; 429 and 503, there is no room for it.
    """
    refuse_encoded(request)
    taken = 0
    try:
        with tempfile.SpooledTemporaryFile(MOST_IN_MEMORY) as file:
            memory = holding_of(request.scope)
            async for piece in _pieces(request, LARGEST_FILE, limits):
                if not room.take(len(piece)):
                    raise room.refusal()
                memory.take(min(len(piece), max(0, MOST_IN_MEMORY - taken)))
                taken += len(piece)
                with _writing():
                    file.write(piece)
            with _writing():
                file.seek(0)
            yield file
    finally:
        room.give_back(taken)


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise hidden("the body cannot be kept", error) from None


async def read_object(
    request: Request, limits: Limits, *, any_type: bool = False
) -> dict[str, object]:
    """The body of a request, which must be one JSON object.

    Args:
        request: whose body it is.
        limits: of the server.
        any_type: take it whatever the request says that it is.

    Raises:
        ApiError: 400, it is no JSON object; 408, it comes too slowly; 413, it is too large; 415, it
            does not say that it is JSON, or is compressed; 429 and 503, there is no memory for it.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and not any_type:
        raise ApiError(415, f"the body must be application/json, not {quote(kind)}")
    refuse_encoded(request)
    value = parse_json(await _read_body(request, limits))
    if not isinstance(value, dict):
        raise ApiError(400, "the body must be a JSON object")
    return value


def parse_json(body: bytes) -> object:
    """A JSON value: no NaN, no number out of range, not too deep.

    Raises:
        ApiError: 400, it is none.
    """
    try:
        value = json.loads(body.decode(), parse_constant=_refuse_constant, parse_float=_read_float)
    except UnicodeDecodeError as error:
        raise ApiError(400, f"the body is not UTF-8, at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise ApiError(400, f"not JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError) as error:  # endless digits, bottomless nesting
        raise ApiError(400, f"not JSON: {error}") from None
    if is_too_deep(value):
        raise ApiError(400, f"not JSON: {TOO_DEEP}")
    return cast("object", value)


def _read_float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):  # JSON could not write it again
        raise ValueError(f"{quote(digits)} is out of range")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


async def _read_body(request: Request, limits: Limits) -> bytes:
    body = bytearray()
    memory = holding_of(request.scope)
    async for piece in _pieces(request, limits.body_bytes, limits):
        memory.take(len(piece))
        body += piece
    return bytes(body)


async def _pieces(request: Request, most: int, limits: Limits) -> AsyncIterator[bytes]:
    """A body as it arrives.

    Raises:
        ApiError: 400, it has not arrived as a whole; 408, it comes too slowly; 413, it has more
            bytes than these.
    """
    too_large = ApiError(413, f"the body is larger than {most:,} bytes")
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared[:19]) > most:
        raise too_large
    size, waited = 0, 0.0
    stream = aiter(request.stream())
    while True:
        began = time.monotonic()
        try:
            async with asyncio.timeout(limits.read_seconds + size / limits.least_rate - waited):
                piece = await anext(stream, None)
        except ClientDisconnect:
            raise ApiError(400, "the body has not arrived as a whole") from None
        except TimeoutError:
            raise ApiError(
                408, f"the body comes more slowly than {limits.least_rate:,} bytes a second"
            ) from None
        if piece is None:
            return
        waited += time.monotonic() - began  # not what takes the server's own time
        size += len(piece)
        if size > most:
            raise too_large
        yield piece
