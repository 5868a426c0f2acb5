"""The results of a job as a file: JSON Lines, or CSV if they form a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from msgspec import Meta
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from db.records.jobs import JobState
from web import openapi, parameters
from web.api.jobs import OneJob
from web.parameters import Parameters
from web.responses import CSV, JSON_LINES, ApiError, without_directories
from web.service import service_of
from workers.answers.lines import result_lines
from workers.core.follow import iterate_units, read_job
from workers.core.kinds import find_kind, unit_objects

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

    from db.database import Database
    from web.service import Service
    from workers.answers.lines import TextFormat

CHUNK: Final = 64 * 1024
"""Number of characters to send at a time."""


class ResultParameters(Parameters):
    """The format."""

    format: Annotated[
        Literal["jsonl", "csv"],
        Meta(
            description="JSON Lines, or CSV for the answers of a job of kind analyze.",
            examples=["jsonl"],
        ),
    ] = "jsonl"


async def answer_results(request: Request) -> Response:
    """``GET /api/v1/jobs/{job}/results``."""
    service = service_of(request)
    format_name = parameters.read_query(request, ResultParameters).format
    number = parameters.read_path(request, OneJob).job
    database = service.require_database()
    lines = await service.in_thread(_open, database, number, format_name)
    first = await service.in_batch_thread(_next_chunk, lines)  # raises errors before status 200
    name = f"c4-job-{number}.{format_name}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    media_type = CSV if format_name == "csv" else JSON_LINES
    if request.method == "HEAD":
        return Response(media_type=media_type, headers=headers)
    return StreamingResponse(_chunks(service, lines, first), media_type=media_type, headers=headers)


def _open(database: Database, number: int, format_name: TextFormat) -> Iterator[str]:
    """The lines of a job's results, read from the database on demand."""
    job = read_job(database, number)
    kind = find_kind(job.kind)
    if kind is None:
        raise ApiError(409, f"job {number} has a kind that this version does not know")
    if format_name == "csv" and not kind.has_table:
        raise ApiError(400, f"a job of kind {job.kind} has no table of results", "format")
    if job.state is JobState.PLANNING:
        raise ApiError(409, f"job {number} is being planned: it has no results yet")
    units = iterate_units(database, number)
    objects = (_public(fields) for unit in units for fields in unit_objects(job, unit))
    return result_lines(objects, format_name, job.board)


def _public(fields: dict[str, Any]) -> dict[str, Any]:
    if fields.get("error") is None:
        return fields
    return fields | {"error": without_directories(fields["error"])}


def _next_chunk(lines: Iterator[str]) -> bytes:
    """The next lines; empty at the end."""
    chunk: list[str] = []
    size = 0
    for line in lines:
        chunk.append(line)
        size += len(line)
        if size >= CHUNK:
            break
    return "".join(chunk).encode()


async def _chunks(service: Service, lines: Iterator[str], first: bytes) -> AsyncIterator[bytes]:
    chunk = first
    while chunk:
        yield chunk
        if service.is_stopping:
            raise ApiError(503, "the server is shutting down")
        chunk = await service.in_batch_thread(_next_chunk, lines)


ROUTES: Final = [Route("/api/v1/jobs/{job}/results", answer_results)]

PATHS: Final[dict[str, object]] = {
    "/api/v1/jobs/{job}/results": {
        "get": openapi.operation(
            "The results of a job, in the order of its input",
            openapi.content(openapi.TEXT, JSON_LINES) | openapi.content(openapi.TEXT, CSV),
            query=ResultParameters,
            path=OneJob,
            problems=(404, 409),
            description="One line for each line of the job's input; unsolved lines have `error`. "
            "A job of kind deep has one line for each shift of a thread, a match one for "
            "each unit.",
        )
    }
}
