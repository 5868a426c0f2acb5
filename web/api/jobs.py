"""Jobs: list, show, create, cancel and resume."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, NotRequired, TypedDict, cast

from msgspec import Meta
from starlette.routing import Route

from db.jobs import control, watching
from db.records.jobs import JobState, UnitState
from web import openapi, parameters
from web.access import require_write
from web.api.making import Analyze, Deep, LinesParameters, MakeBook, make_job, make_of_lines
from web.bodies import read_object, whole_body
from web.parameters import Parameters, read_board
from web.responses import CSV, JSON, JSON_LINES, ApiError, json_response, quote, without_directories
from web.service import service_of
from workers.core.follow import (
    job_object,
    progress_object,
    read_job,
    refuse_foreign,
)
from workers.core.kinds import check_consent
from workers.deep.answer import Observer, tree_object
from workers.deep.task import KIND as DEEP

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from db.database import Database
    from db.records.jobs import JobInfo
    from web.api.making import Made
    from web.openapi import Schema
    from web.service import Service
    from workers.analyze.job import Submission

LINES: Final = (JSON_LINES, "application/jsonl", "text/plain", CSV)
"""Content types of a body with the lines of a job of kind ``analyze``."""

LARGEST_LIST: Final = 1024 * 1024
"""Maximum size of a JSON object with a list of positions in bytes."""

_OPEN: Final = (JobState.RUNNING, JobState.CANCELLED, JobState.FAILED)


Number = Annotated[int, Meta(ge=1, le=2**63 - 1)]


class OneJob(Parameters):
    """A job."""

    job: Annotated[Number, Meta(description="The job's number.", examples=[1])]


class JobsParameters(Parameters):
    """Filters of jobs, and the page."""

    state: Annotated[
        JobState | None, Meta(description="Only jobs in this state.", examples=["done"])
    ] = None
    limit: Annotated[int, Meta(ge=1, le=200, description="Jobs per page.")] = 20
    cursor: Annotated[Number | None, Meta(description="`next` of the previous page.")] = None


State = Annotated[str, Meta(extra_json_schema={"enum": list(JobState)})]
ByState = Annotated[
    dict[str, int], Meta(extra_json_schema={"required": [str(state) for state in UnitState]})
]


class Bounds(TypedDict):
    """Bounds of a score."""

    lower: int
    upper: int


class JobTree(Bounds):
    """The proven bounds of a job of kind deep. Scores are for the side to move at the start."""

    asked: int | None
    moves: list[Bounds | None]


class JobProgress(TypedDict):
    """The progress of a job."""

    job_id: int
    state: State
    units: int
    units_done: int
    units_failed: int
    units_leased: int
    silent_seconds: float | None
    positions: int
    positions_done: int
    positions_failed: int
    nodes: int
    seconds: float
    positions_per_second: float | None
    eta_seconds: float | None
    tree: NotRequired[JobTree]


class Job(TypedDict):
    """A job."""

    id: int
    kind: str
    board: str
    state: State
    label: str | None
    params: dict[str, Any]
    priority: int
    engine_version: int
    created_at: str
    started_at: str | None
    finished_at: str | None
    silent_seconds: float | None
    units: ByState
    positions: ByState
    nodes: int
    seconds: float
    errors: list[str]


class JobWithProgress(Job):
    """A job and its progress."""

    progress: JobProgress


class WrongLine(TypedDict):
    """A line of the input that is not a position."""

    line: int
    field: str
    error: str


class WrongLines(TypedDict):
    """The lines of the input that are not positions."""

    number: int
    first: Annotated[list[WrongLine], Meta(description="The first lines that are not positions.")]


class NewJob(JobWithProgress):
    """A job that was created."""

    bad_lines: NotRequired[
        Annotated[WrongLines, Meta(description="Missing if all lines are positions.")]
    ]


class Jobs(TypedDict):
    """A page of jobs."""

    jobs: list[Job]
    next: str | None


async def answer_list(request: Request) -> Response:
    """``GET /api/v1/jobs``."""
    service = service_of(request)
    asked = parameters.read_query(request, JobsParameters)
    found = await service.in_thread(_list, service.require_database(), asked)
    shown = found[: asked.limit]
    return json_response(
        {
            "jobs": [_public(job_object(job)) for job in shown],
            "next": str(shown[-1].id) if len(found) > asked.limit else None,
        }
    )


async def answer_job(request: Request) -> Response:
    """``GET /api/v1/jobs/{job}``."""
    service = service_of(request)
    parameters.read_query(request, Parameters)
    number = parameters.read_path(request, OneJob).job
    return json_response(await service.in_thread(_show, service.require_database(), number))


async def answer_make(request: Request) -> Response:
    """``POST /api/v1/jobs``: a JSON object, or lines with parameters in the query."""
    service = service_of(request)
    database = require_write(request)
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in LINES:
        made = await _make_of_lines(service, database, request, is_table=kind == CSV)
    elif kind == JSON:
        parameters.read_query(request, Parameters)
        asked: Analyze | Deep | MakeBook = await read_object(
            request, cast("Any", Analyze | Deep | MakeBook), most=LARGEST_LIST
        )
        async with service.job_creation_slot(request):  # planning takes time and memory
            made = await service.in_batch_thread(make_job, service, database, asked)
    else:
        known = ", ".join((JSON, *LINES))
        raise ApiError(415, f"the body must be one of {known}, not {quote(kind)}")
    await _call(service, made.job_id)
    shown = await service.in_thread(_show, database, made.job_id)
    if made.submission is not None and made.submission.bad_lines:
        shown["bad_lines"] = _wrong_lines(made.submission)
    headers = {"Location": f"/api/v1/jobs/{made.job_id}"}
    return json_response(shown, 201 if made.is_new else 200, headers)


async def answer_cancel(request: Request) -> Response:
    """``POST /api/v1/jobs/{job}/cancel``."""
    service = service_of(request)
    database = require_write(request)
    parameters.read_query(request, Parameters)
    number = parameters.read_path(request, OneJob).job
    await service.in_thread(_cancel, database, number)
    return json_response(await service.in_thread(_show, database, number))


async def answer_resume(request: Request) -> Response:
    """``POST /api/v1/jobs/{job}/resume``."""
    service = service_of(request)
    database = require_write(request)
    parameters.read_query(request, Parameters)
    number = parameters.read_path(request, OneJob).job
    await service.in_thread(_resume, service, database, number)
    await _call(service, number)
    return json_response(await service.in_thread(_show, database, number))


async def _make_of_lines(
    service: Service, database: Database, request: Request, *, is_table: bool
) -> Made:
    asked = parameters.read_query(request, LinesParameters)
    board = read_board(asked.board)  # before the body is read
    async with (
        service.job_creation_slot(request),
        whole_body(request) as file,
    ):
        return await service.in_batch_thread(
            lambda: make_of_lines(service, database, file, board, asked, is_table=is_table)
        )


async def _call(service: Service, job_id: int) -> None:
    if service.runner is not None:
        await service.in_thread(service.runner.call, job_id)


def _list(database: Database, asked: JobsParameters) -> list[JobInfo]:
    states = None if asked.state is None else [asked.state]
    with database.read() as session:
        return watching.list_jobs(
            session, states=states, limit=asked.limit + 1, before=asked.cursor
        )


def _show(database: Database, number: int) -> dict[str, Any]:
    with database.read() as session:
        job = watching.get_job(session, number)
        progress = progress_object(job)
        if job.kind == DEEP:
            progress["tree"] = tree_object(Observer(job).look(session))
    return _public(job_object(job)) | {"progress": progress}


def _wrong_lines(submission: Submission) -> WrongLines:
    first: list[WrongLine] = [
        {"line": bad.line, "field": bad.field, "error": bad.error} for bad in submission.first_bad
    ]
    return {"number": submission.bad_lines, "first": first}


def _public(job: dict[str, Any]) -> dict[str, Any]:
    """A job without directories, except in the label, which its creator wrote."""
    return job | {name: without_directories(job[name]) for name in ("params", "errors")}


def _cancel(database: Database, number: int) -> None:
    database.run(lambda session: control.cancel_job(session, number))


def _resume(service: Service, database: Database, number: int) -> None:
    """Resume a job and retry its failed units. A finished job stays as it is."""
    job = read_job(database, number)
    refuse_foreign(job, in_states=_OPEN)
    runner = service.runner
    if runner is not None and runner.is_local and job.state in _OPEN:
        check_consent(database, job, runner.programs)
    database.run(partial(control.resume_job, job_id=number))


ROUTES: Final = [
    Route("/api/v1/jobs", answer_list),
    Route("/api/v1/jobs", answer_make, methods=["POST"]),
    Route("/api/v1/jobs/{job}", answer_job),
    Route("/api/v1/jobs/{job}/cancel", answer_cancel, methods=["POST"]),
    Route("/api/v1/jobs/{job}/resume", answer_resume, methods=["POST"]),
]


_LINKS: Final[Schema] = {
    name: {
        "operationId": operation_id,
        "parameters": {"job": "$response.body#/id"},
        "description": description,
    }
    for name, operation_id, description in (
        ("job", "getJobsJob", "The job, later."),
        ("events", "getJobsJobEvents", "The job's progress while it runs."),
        ("results", "getJobsJobResults", "The job's results."),
        ("cancel", "postJobsJobCancel", "Cancel the job."),
        ("resume", "postJobsJobResume", "Resume the job."),
    )
}
"""Links from a new job to the operations on it."""


def _one(summary: str, *problems: int) -> Schema:
    return openapi.operation(summary, JobWithProgress, path=OneJob, problems=(404, *problems))


def _make() -> Schema:
    described = openapi.operation(
        "Create a job",
        NewJob,
        query=LinesParameters,
        body=openapi.content(
            Analyze | Deep | MakeBook,
            example={"kind": "analyze", "positions": ["4453", {"moves": "44", "id": 1}]},
        )
        | openapi.content(openapi.BINARY, JSON_LINES, example='{"moves": "4453"}\n')
        | openapi.content(openapi.BINARY, "text/plain", example="4453\n44\n")
        | openapi.content(openapi.BINARY, CSV, example="moves\n4453\n"),
        description="A JSON object names the job. JSON Lines, lines of moves, or CSV with a "
        "heading create a job of kind analyze; only these use the query.",
    )
    found = described["responses"]["200"]
    found |= {"description": "The same job exists already; it continues.", "links": _LINKS}
    location = {"schema": openapi.TEXT, "description": "The job's address."}
    described["responses"]["201"] = found | {
        "description": "The job was created.",
        "headers": {"Location": location},
    }
    return openapi.writing(described)


PATHS: Final[dict[str, object]] = {
    "/api/v1/jobs": {
        "get": openapi.operation(
            "Jobs, the newest first",
            Jobs,
            query=JobsParameters,
            description="`silent_seconds` is the time since a process last worked on an open job; "
            "null if none has.",
        ),
        "post": _make(),
    },
    "/api/v1/jobs/{job}": {"get": _one("A job and its progress")},
    "/api/v1/jobs/{job}/cancel": {
        "post": openapi.writing(_one("Cancel a job, keep its results", 409))
    },
    "/api/v1/jobs/{job}/resume": {
        "post": openapi.writing(_one("Resume a job and retry its failed units", 409))
    },
}
