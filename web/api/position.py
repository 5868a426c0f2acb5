"""``GET /api/v1/position``: everything that is known about a position."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from starlette.responses import Response
from starlette.routing import Route

from web import parameters
from web.asked_positions import POSITION, read_position
from web.asking import find_answer, find_line
from web.description.words import (
    BOARD,
    COLUMN,
    FLAG,
    MOVES,
    NUMBER,
    SIDE,
    TEXT,
    VALUE,
    WHOLE,
    array,
    nullable,
    operation,
    query,
    record,
    ref,
    seconds_to_search,
)
from web.responses import JSON, encode
from web.service import service_of
from web.writing import require_write
from workers.analyze.job import find_or_submit
from workers.answers.description import describe_position, is_complete
from workers.core.submit import topic_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from c4core.position import Position

PATH: Final = "/api/v1/position"
NAMES: Final = POSITION | {"budget", "line", "queue"}
PURPOSE: Final = "board"
"""What such jobs are for, in their topics and labels."""


async def get_position(request: Request) -> Response:
    """The position, as far as it is known within the budget."""
    service = service_of(request)
    query_string = request.scope["query_string"]
    known = service.known.find(PATH, query_string)
    if known is not None:
        return Response(known, media_type=JSON)
    values = parameters.read_query(request, NAMES)
    if not values.keys() & {"moves", "key", "grid"}:
        values["moves"] = ""
    asked = read_position(values)
    budget = parameters.budget(values, service.settings.limits)
    wants_line = parameters.flag(values, "line")
    queues = parameters.flag(values, "queue")
    if queues:
        require_write(request)
    began = time.monotonic()
    answer = await find_answer(request, asked.position, budget=budget)
    line = None
    if wants_line and answer.score is not None:
        left = max(0.0, budget - (time.monotonic() - began))
        line = await find_line(request, asked.position, budget=left)
    queued = None
    if queues and not is_complete(asked.position, answer):
        queued = await _queue(request, asked.position)
    fields = describe_position(asked.position, answer, moves=asked.moves, line=line)
    body = encode(fields | {"queued": queued})
    if fields["complete"] and (line is not None or not wants_line):
        service.known.keep(PATH, query_string, body)
    return Response(body, media_type=JSON)


async def _queue(request: Request, position: Position) -> int:
    """The number of the job that goes on with a position; it is found, or made."""
    service = service_of(request)
    database = require_write(request)
    keys = np.array([position.key], dtype=np.uint64)
    job_id = await service.in_thread(
        partial(
            find_or_submit,
            database,
            keys,
            board=position.board,
            topic=topic_of(PURPOSE, keys),
            book=service.settings.book,
            label=service.label(PURPOSE),
        )
    )
    if service.runner is not None:
        await service.in_thread(service.runner.call, job_id)
    return job_id


ROUTES: Final = [Route(PATH, get_position)]

_CELL: Final = array(COLUMN) | {"minItems": 2, "maxItems": 2}
_CELLS: Final = array(_CELL)
_COLUMN: Final = record(
    {
        "column": COLUMN,
        "playable": FLAG,
        "score": nullable(WHOLE),
        "value": nullable(VALUE),
        "plies": nullable(WHOLE),
        "best": FLAG,
    }
)
_FIELDS: Final[dict[str, dict[str, Any]]] = {
    "moves": nullable(TEXT),
    "board": BOARD,
    "key": TEXT,
    "grid": TEXT,
    "ply": WHOLE,
    "side": SIDE,
    "over": nullable(record({"winner": nullable(SIDE), "cells": _CELLS})),
    "score": nullable(WHOLE),
    "lower": WHOLE,
    "upper": WHOLE,
    "complete": FLAG,
    "value": nullable(VALUE),
    "plies": nullable(WHOLE),
    "columns": array(_COLUMN),
    "best": array(COLUMN),
    "line": nullable(TEXT),
    "threats": record({"x": _CELLS, "o": _CELLS}),
    "source": {"enum": ["book", "db", "search", "rules"]},
    "nodes": WHOLE,
    "seconds": NUMBER,
    "queued": nullable(WHOLE),
}

PATHS: Final[dict[str, object]] = {
    PATH: {
        "get": operation(
            "Everything that is known about a position",
            ref("Position"),
            parameters=[
                query("moves", MOVES, "Columns from 1 played so far.", example="4453"),
                query("key", {"type": "string", "pattern": "^[0-9]{1,20}$"}, "Its exact key."),
                query("grid", TEXT, "Rows from the top, of x, o and dots."),
                query("board", BOARD, "Columns x rows; 7x6 if not given.", example="7x6"),
                query(
                    "budget",
                    seconds_to_search(default=2),
                    "Seconds to search, where neither book nor database has the answer.",
                    example=0.1,
                ),
                query(
                    "line", FLAG, "Best play to the end, if it is found in the time that is left."
                ),
                query("queue", FLAG, "Where the budget is too small: go on with it as a job."),
            ],
            problems=(401, 409),
            description="Scores are for the side to move. What is not proven within the budget is "
            'null, with "complete" false and bounds of the score that are proven. Give at most one '
            "of moves, key and grid. With queue this changes something, as a POST does.",
        )
    }
}

SCHEMAS: Final[dict[str, object]] = {"Position": record(_FIELDS)}
