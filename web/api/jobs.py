"""Jobs: list, show, make, cancel and resume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from db import jobs
from db.records.jobs import JobState, UnitState
from web import parameters
from web.access import require_write
from web.api.making import LARGEST_PLY, LONGEST_LABEL, make_job, make_of_lines, read_label
from web.bodies import read_object, whole_body
from web.openapi import (
    BOARD,
    FLAG,
    MOVES,
    NUMBER,
    PROBLEMS,
    TEXT,
    WHOLE,
    array,
    nullable,
    operation,
    place,
    query,
    record,
    ref,
    whole_between,
)
from web.parameters import read_board
from web.responses import JSON, JSON_LINES, ApiError, json_response
from web.service import service_of
from workers.core.following import read_job, refuse_foreign
from workers.core.resumption import set_going
from workers.core.standing import (
    STATES,
    Standing,
    job_object,
    list_standings,
    progress_object,
    standing_of,
)
from workers.deep.progress import Observer, tree_object
from workers.deep.task import KIND as DEEP
from workers.matches.programs import check_consent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.responses import Response

    from db.database import Database
    from web.api.making import Made
    from web.openapi import Schema
    from web.service import Service

CSV: Final = "text/csv"
LINES: Final = (JSON_LINES, "application/jsonl", "text/plain", CSV)
"""Types of bodies that have the lines of a job of kind ``analyze``."""

_OPEN: Final = (JobState.RUNNING, JobState.CANCELLED, JobState.FAILED)


def job_number(request: Request) -> int:
    """The number of the job that an address names.

    Raises:
        ApiError: 400, it is no number.
    """
    number: int = parameters.whole(request.path_params, "job", 0, 1, LARGEST_JOB)
    return number


async def answer_list(request: Request) -> Response:
    """``GET /api/v1/jobs``."""
    service = service_of(request)
    values = parameters.read_query(request, {"state", "limit", "cursor"})
    state = parameters.choice(values, "state", None, STATES)
    limit = parameters.whole(values, "limit", DEFAULT_LIMIT, 1, LARGEST_LIMIT)
    before: int | None = parameters.whole(values, "cursor", None, 1, LARGEST_JOB)
    found = await service.in_thread(_list, service.require_database(), state, limit + 1, before)
    shown = found[:limit]
    return json_response(
        {
            "jobs": [job_object(standing) for standing in shown],
            "next": str(shown[-1].job.id) if len(found) > limit else None,
        }
    )


async def answer_job(request: Request) -> Response:
    """``GET /api/v1/jobs/{job}``."""
    service = service_of(request)
    parameters.read_query(request, ())
    number = job_number(request)
    return json_response(await service.in_thread(_show, service.require_database(), number))


async def answer_make(request: Request) -> Response:
    """``POST /api/v1/jobs``: a JSON object, or lines with the rest in the address."""
    service = service_of(request)
    database = require_write(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in LINES:
        made = await _make_of_lines(service, database, request, is_table=kind == CSV)
    elif kind == JSON:
        parameters.read_query(request, ())
        values = await read_object(request, service.settings.limits)
        async with service.making_slot(request):  # planning takes time and memory
            made = await service.in_batch_thread(make_job, service, database, values)
    else:
        known = ", ".join((JSON, *LINES))
        raise ApiError(415, f"the body must be one of {known}; not {parameters.quote(kind)}")
    await _call(service, made.job_id)
    shown = await service.in_thread(_show, database, made.job_id)
    headers = {"Location": f"/api/v1/jobs/{made.job_id}"}
    return json_response(shown, 201 if made.is_new else 200, headers)


async def answer_cancel(request: Request) -> Response:
    """``POST /api/v1/jobs/{job}/cancel``."""
    service = service_of(request)
    database = require_write(request)
    parameters.read_query(request, ())
    number = job_number(request)
    await service.in_thread(_cancel, database, number)
    return json_response(await service.in_thread(_show, database, number))


async def answer_resume(request: Request) -> Response:
    """``POST /api/v1/jobs/{job}/resume``."""
    service = service_of(request)
    database = require_write(request)
    parameters.read_query(request, ())
    number = job_number(request)
    await service.in_thread(_resume, service, database, number)
    await _call(service, number)
    return json_response(await service.in_thread(_show, database, number))


async def _make_of_lines(
    service: Service, database: Database, request: Request, *, is_table: bool
) -> Made:
    values = parameters.read_query(request, {"kind", "board", "score_only", "label"})
    parameters.choice(values, "kind", "analyze", ("analyze",))
    # What is wrong with these is said before the body has come.
    read_board(values)
    parameters.flag(values, "score_only")
    read_label(values)
    async with (
        whole_body(request, service.disk, service.settings.limits) as file,
        service.making_slot(request),
    ):
        return await service.in_batch_thread(
            lambda: make_of_lines(service, database, file, values, is_table=is_table)
        )


async def _call(service: Service, job_id: int) -> None:
    if service.runner is not None:
        await service.in_thread(service.runner.call, job_id)


def _list(database: Database, state: str | None, limit: int, before: int | None) -> list[Standing]:
    states = () if state is None else (state,)
    with database.read() as session:
        return list_standings(session, states=states, limit=limit, before=before)


def _show(database: Database, number: int) -> dict[str, Any]:
    """A job as a JSON object, with its progress."""
    with database.read() as session:
        standing = standing_of(session, jobs.get_job(session, number))
        progress = progress_object(jobs.progress(session, number), standing.state)
        if standing.job.kind == DEEP:
            progress["tree"] = tree_object(Observer(standing.job).look(session))
    return job_object(standing) | {"progress": progress}


def _cancel(database: Database, number: int) -> None:
    database.run(lambda session: jobs.cancel_job(session, number))


def _resume(service: Service, database: Database, number: int) -> None:
    """Let a job go on; its failed units are tried again. Nothing happens to one that is done.

    Raises:
        JobNotFoundError: there is no such job.
        JobStateError: this version cannot work on it, or it was never planned to its end.
        ProgramRefusedError: it needs a program that may not be started here.
    """
    job = read_job(database, number)
    refuse_foreign(job, in_states=_OPEN)
    runner = service.runner
    if runner is not None and runner.is_local and job.state in _OPEN:
        check_consent(database, job, runner.programs)
    set_going(database, number)


ROUTES: Final = [
    Route("/api/v1/jobs", answer_list),
    Route("/api/v1/jobs", answer_make, methods=["POST"]),
    Route("/api/v1/jobs/{job}", answer_job),
    Route("/api/v1/jobs/{job}/cancel", answer_cancel, methods=["POST"]),
    Route("/api/v1/jobs/{job}/resume", answer_resume, methods=["POST"]),
]


STATE: Final[Schema] = {"enum": list(STATES)}
LARGEST_JOB: Final = 2**63 - 1
JOB_NUMBER: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": LARGEST_JOB}
JOB_PLACE: Final = place("job", JOB_NUMBER, "The job's number.", example=1)

_BY_STATE: Final = record({str(state): WHOLE for state in UnitState})
_BOUNDS: Final = record({"lower": WHOLE, "upper": WHOLE})

TREE: Final = record(
    {
        "lower": WHOLE,
        "upper": WHOLE,
        "asked": nullable(WHOLE),
        "moves": array(nullable(_BOUNDS)),
        "decided": WHOLE,
        "split": WHOLE,
        "cut": WHOLE,
        "queued": WHOLE,
        "failed": WHOLE,
        "at_work": array(record({"moves": nullable(TEXT), "beta": WHOLE})),
    }
) | {"description": "What a job of kind deep has proven. Scores are for the side to move."}

PROGRESS: Final = record(
    {
        "job_id": WHOLE,
        "state": STATE,
        "units": WHOLE,
        "units_done": WHOLE,
        "units_failed": WHOLE,
        "units_leased": WHOLE,
        "positions": WHOLE,
        "positions_done": WHOLE,
        "positions_failed": WHOLE,
        "nodes": WHOLE,
        "seconds": NUMBER,
        "positions_per_second": nullable(NUMBER),
        "eta_seconds": nullable(NUMBER),
        "tree": ref("JobTree"),
    },
    optional=("tree",),
)

JOB: Final = record(
    {
        "id": WHOLE,
        "kind": TEXT,
        "board": TEXT,
        "state": STATE,
        "label": nullable(TEXT),
        "params": {"type": "object"},
        "priority": WHOLE,
        "engine_version": WHOLE,
        "created_at": TEXT,
        "started_at": nullable(TEXT),
        "finished_at": nullable(TEXT),
        "units": _BY_STATE,
        "positions": _BY_STATE,
        "nodes": WHOLE,
        "seconds": NUMBER,
        "errors": array(TEXT),
    }
)

JOB_WITH_PROGRESS: Final = {
    "allOf": [ref("Job"), record({"progress": ref("JobProgress")})],
}

_WORKER: Final = record(
    {
        "name": TEXT,
        "host": TEXT,
        "pid": WHOLE,
        "threads": WHOLE,
        "table_mb": WHOLE,
        "version": TEXT,
        "engine_version": WHOLE,
        "queues": array(TEXT),
        "units_done": WHOLE,
        "positions_done": WHOLE,
        "nodes": WHOLE,
        "seconds": NUMBER,
        "note": nullable(TEXT),
        "started_at": TEXT,
        "seen_at": TEXT,
        "nodes_per_second": nullable(NUMBER),
    }
)

WORKERS: Final = record(
    {
        "workers": array(_WORKER),
        "status": record(
            {
                "jobs": record(dict.fromkeys(STATES, WHOLE)),
                "queued_units": WHOLE,
                "running_units": WHOLE,
                "failed_units": WHOLE,
                "queued_positions": WHOLE,
                "running_positions": WHOLE,
                "positions_per_second": nullable(NUMBER),
                "eta_seconds": nullable(NUMBER),
                "oldest_queued_seconds": nullable(NUMBER),
                "workers": WHOLE,
            }
        ),
        "server": record({"threads": WHOLE, "jobs": array(WHOLE), "is_writable": FLAG}),
    }
)

SCHEMAS: Final[dict[str, Any]] = {
    "Job": JOB,
    "JobWithProgress": JOB_WITH_PROGRESS,
    "JobProgress": PROGRESS,
    "JobTree": TREE,
    "Workers": WORKERS,
}


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


def _listing() -> Schema:
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
    "/api/v1/jobs": {"get": _listing(), "post": _make()},
    "/api/v1/jobs/{job}": {"get": _one("A job and how far it is")},
    "/api/v1/jobs/{job}/cancel": {
        "post": _writing(_one("Stop a job; what is done is kept", problems=(409,)))
    },
    "/api/v1/jobs/{job}/resume": {
        "post": _writing(_one("Go on with a job; failed units are tried again", problems=(409,)))
    },
}
