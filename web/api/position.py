"""Positions: GET /api/v1/position, and GET /solve as gamesolver.org answers it."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from starlette.responses import Response
from starlette.routing import Route

from web import parameters
from web.access import require_write
from web.openapi import (
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
from web.parameters import POSITION, play, read_board, read_position
from web.responses import JSON, encode, unavailable
from web.service import service_of
from workers.core.resumption import topic_of
from workers.positions.analysis import find_or_submit
from workers.positions.desk import answer_at_end, answer_stored
from workers.positions.question import Question
from workers.positions.showing.description import describe_position, is_complete

if TYPE_CHECKING:
    from starlette.requests import Request

    from c4core.position import Position
    from workers.positions.results import Answer
    from workers.positions.stop import Stop

EVERYTHING: Final = Question()


async def find_known(request: Request, position: Position) -> Answer | None:
    """What is known about a position and its columns without a search; None if not all is."""
    service = service_of(request)
    if position.is_over:
        return answer_at_end(position)
    answer = service.desk.booked(position, EVERYTHING)
    if answer is None and service.lookups is not None:
        stored = await service.lookups.find(position)
        if stored is not None:
            answer = answer_stored(position, EVERYTHING, stored)
    return answer


async def find_answer(request: Request, position: Position, *, budget: float) -> Answer:
    """What is known about a position and its columns after a search of so many seconds.

    Raises:
        ApiError: 429, the client searches too much at a time; 499 or 503, it has gone, or the
            server ends.
    """
    answer = await find_known(request, position)
    if answer is not None:
        return answer
    service = service_of(request)
    question = Question(time_limit=budget)

    def search(stop: Stop) -> Answer:
        return service.desk.answer([position], question, stop)[0]

    async with service.search_slot(request):
        return await service.until_disconnected(request, search)


async def find_line(
    request: Request, position: Position, *, budget: float
) -> tuple[int, ...] | None:
    """Best play from a position whose score is known; None where it takes longer than that.

    Raises:
        ApiError: as :func:`find_answer`.
    """
    service = service_of(request)

    def search(stop: Stop) -> tuple[int, ...] | None:
        return service.desk.find_line(position, time_limit=budget, stop=stop)

    async with service.search_slot(request):
        return await service.until_disconnected(request, search)


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


UNPLAYABLE: Final = 100
"""In place of the score of a column that cannot be played."""

SOLVE_PATH: Final = "/solve"


async def solve(request: Request) -> Response:
    """The score of every column."""
    service = service_of(request)
    asked = request.scope["query_string"]
    known = service.known.find(SOLVE_PATH, asked)
    if known is not None:
        return Response(known, media_type=JSON)
    values = dict(request.query_params)
    board = read_board(values)
    if "pos" not in values:
        raise parameters.missing("pos")
    position = play(values["pos"], board, "pos")
    budget = service.settings.limits.budget_seconds
    answer = await find_answer(request, position, budget=budget)
    if not is_complete(position, answer):
        raise unavailable(f"not solved within {budget:g} seconds", "pos")
    scores = [UNPLAYABLE if score is None else score for score in answer.scores or ()]
    body = encode({"pos": values["pos"], "score": scores})
    service.known.keep(SOLVE_PATH, asked, body)
    return Response(body, media_type=JSON)


ROUTES: Final = [Route(SOLVE_PATH, solve), Route(PATH, get_position)]

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
    },
    SOLVE_PATH: {
        "get": operation(
            "The score of every column, in the form of gamesolver.org",
            ref("Solved"),
            parameters=[
                query("pos", MOVES, "Columns from 1 played so far.", example="4453", required=True),
                query("board", BOARD, "Columns x rows; 7x6 if not given.", example="7x6"),
            ],
            description="Scores are for the side to move: 1 is a win with the last own stone, -1 a "
            "loss against the opponent's last one; 100 is a column that cannot be played.",
        )
    },
}

SCHEMAS: Final[dict[str, object]] = {
    "Position": record(_FIELDS),
    "Solved": record({"pos": TEXT, "score": array(WHOLE)}),
}
