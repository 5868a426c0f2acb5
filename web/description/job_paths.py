"""What the OpenAPI document says of the addresses of jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from web.description.job_schemas import JOB_NUMBER, JOB_PLACE, STATE
from web.description.words import (
    BOARD,
    FLAG,
    MOVES,
    PROBLEMS,
    TEXT,
    array,
    nullable,
    operation,
    query,
    record,
    ref,
    whole_between,
)
from web.jobs.making import LARGEST_PLY, LONGEST_LABEL
from web.responses import JSON

if TYPE_CHECKING:
    from collections.abc import Iterable

    from web.description.words import Schema

DEFAULT_LIMIT: Final = 20
LARGEST_LIMIT: Final = 200

_LABEL: Final[Schema] = {
    "type": "string",
    "maxLength": LONGEST_LABEL,
    "pattern": "^[ -~]*$",
    "description": "What people call the job; it is shown behind 'web: '.",
}
_KEY: Final[Schema] = {
    "anyOf": [
        {"type": "integer", "minimum": 0, "maximum": 2**64 - 1},
        {"type": "string", "pattern": "^[0-9]{1,20}$"},
    ]
}
_UNAUTHORIZED: Final[dict[str, Any]] = {
    "description": "The server has a token, and the request has not.",
    "content": {JSON: {"schema": ref("Error")}},
}

_ANALYZE: Final = record(
    {
        "kind": {"const": "analyze"},
        "positions": array({"anyOf": [TEXT, {"type": "object"}]})
        | {"minItems": 1, "description": "Moves, or objects with moves, grid or key, and an id."},
        "board": BOARD,
        "score_only": FLAG,
        "label": _LABEL,
    },
    optional=("board", "score_only", "label"),
    closed=True,
)
_ANALYZE_ONE: Final = record(
    {
        "kind": {"const": "analyze"},
        "moves": MOVES,
        "key": _KEY,
        "grid": TEXT,
        "board": BOARD,
        "score_only": FLAG,
        "label": _LABEL,
    },
    optional=("moves", "key", "grid", "board", "score_only", "label"),
    closed=True,
)
_DEEP: Final = record(
    {"kind": {"const": "deep"}, "moves": MOVES, "board": BOARD, "weak": FLAG, "label": _LABEL},
    optional=("board", "weak", "label"),
    closed=True,
)
_BOOK: Final = record(
    {
        "kind": {"const": "book"},
        "board": BOARD,
        "plies": whole_between(0, LARGEST_PLY),
        "start": MOVES,
    },
    optional=("board", "start"),
    closed=True,
)


_LINKS: Final[Schema] = {
    name: {
        "operationId": operation_id,
        "parameters": {"job": "$response.body#/id"},
        "description": description,
    }
    for name, operation_id, description in (
        ("job", "getJobsJob", "The job, later."),
        ("events", "getJobsJobEvents", "How far it is, while it is worked on."),
        ("results", "getJobsJobResults", "What it has found."),
        ("cancel", "postJobsJobCancel", "Stop it."),
        ("resume", "postJobsJobResume", "Go on with it."),
    )
}
"""What can be done with a job that was made."""


def _writing(described: Schema, *, problems: Iterable[int] = ()) -> Schema:
    """The same for what changes something: it may need a token."""
    described["responses"]["401"] = _UNAUTHORIZED
    for status in problems:
        described["responses"][str(status)] = _problem(status)
    described["security"] = [{}, {"token": []}]
    return described


def _problem(status: int) -> Schema:
    return {"description": PROBLEMS[status], "content": {JSON: {"schema": ref("Error")}}}


def _list() -> Schema:
    return operation(
        "Jobs, the newest first",
        record({"jobs": array(ref("Job")), "next": nullable(TEXT)}),
        description="A job is waiting until there are workers, queued while they are at work on "
        "other jobs, and interrupted when nobody is at work on it any more.",
        parameters=[
            query("state", STATE, "Only jobs in this state.", example="done"),
            query("limit", whole_between(1, LARGEST_LIMIT, DEFAULT_LIMIT), "At most so many."),
            query("cursor", JOB_NUMBER, "The `next` of an earlier list: jobs behind that."),
        ],
    )


def _make() -> Schema:
    described = operation(
        "Make a job",
        ref("JobWithProgress"),
        body={"oneOf": [_ANALYZE, _ANALYZE_ONE, _DEEP, _BOOK]},
        description="A body of JSON Lines, of lines of moves, or of CSV with a heading makes a job "
        "of kind analyze of its lines; board, score_only and label are in the address then.",
        parameters=[
            query("board", BOARD, "For a body of lines.", example="7x6"),
            query("score_only", FLAG, "For a body of lines: without the columns' scores."),
            query("label", _LABEL, "For a body of lines."),
        ],
    )
    location = {"schema": TEXT, "description": "The job's address."}
    described["responses"]["201"] = {
        "description": "The job was made.",
        "headers": {"Location": location},
        "links": _LINKS,
        "content": {JSON: {"schema": ref("JobWithProgress")}},
    }
    described["responses"]["200"] |= {
        "description": "There is a job for the same; it goes on.",
        "links": _LINKS,
    }
    content = described["requestBody"]["content"]
    content[JSON]["example"] = {"kind": "analyze", "positions": ["4453", {"moves": "44", "id": 1}]}
    for media_type, example in (
        ("application/x-ndjson", '{"moves": "4453"}\n'),
        ("text/plain", "4453\n44\n"),
        ("text/csv", "moves\n4453\n"),
    ):
        content[media_type] = {"schema": TEXT, "example": example}
    return _writing(described)


def _one(summary: str, *, problems: Iterable[int] = ()) -> Schema:
    return operation(
        summary, ref("JobWithProgress"), parameters=[JOB_PLACE], problems=(404, *problems)
    )


PATHS: Final[dict[str, object]] = {
    "/api/v1/jobs": {"get": _list(), "post": _make()},
    "/api/v1/jobs/{job}": {"get": _one("A job and how far it is")},
    "/api/v1/jobs/{job}/cancel": {
        "post": _writing(_one("Stop a job; what is done is kept", problems=(409,)))
    },
    "/api/v1/jobs/{job}/resume": {
        "post": _writing(_one("Go on with a job; failed units are tried again", problems=(409,)))
    },
}
