"""Jobs: what there is, making one, stopping one, going on with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from db import jobs
from db.records.jobs import JobState
from web import parameters
from web.asked_positions import read_board
from web.description import job_paths, job_schemas
from web.description.job_paths import DEFAULT_LIMIT, LARGEST_LIMIT
from web.description.job_schemas import LARGEST_JOB
from web.errors import ApiError
from web.jobs.making import make_job, make_of_lines, read_label
from web.receiving.bodies import read_object, whole_body
from web.responses import JSON, JSON_LINES, json_response
from web.service import service_of
from web.writing import require_write
from workers.core.follow import (
    STATES,
    Standing,
    job_object,
    list_standings,
    progress_object,
    read_job,
    refuse_foreign,
    standing_of,
)
from workers.core.submit import set_going
from workers.deep.answer import Observer, tree_object
from workers.deep.task import KIND as DEEP
from workers.match.terms import check_consent

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from db.database import Database
    from web.jobs.making import Made
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

PATHS: Final = job_paths.PATHS
SCHEMAS: Final = job_schemas.SCHEMAS
