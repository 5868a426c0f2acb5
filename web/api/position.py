"""Positions: GET /api/v1/position, and GET /solve in the format of gamesolver.org."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypedDict

from msgspec import Meta
from starlette.responses import Response
from starlette.routing import Route

from c4core.arrays import key_array
from c4core.errors import C4Error
from c4core.position import Position
from web import openapi, parameters
from web.access import require_write
from web.parameters import (
    Board,
    Budget,
    Column,
    Moves,
    OfPosition,
    OnBoard,
    Side,
    Value,
    read_board,
)
from web.responses import JSON, ApiError, encode, unavailable
from web.running import BOARD, web_label
from web.service import service_of
from workers.analyze.job import find_or_submit
from workers.answers.find import answer_at_end, answer_stored
from workers.answers.lines import describe_position, estimate_open
from workers.answers.question import EVERYTHING, Question, is_complete
from workers.core.submit import topic_of

if TYPE_CHECKING:
    from starlette.requests import Request

    from c4core.notation import BoardSize
    from workers.answers.question import Answer
    from workers.answers.service import SearchStop


async def find_known(request: Request, position: Position) -> Answer | None:
    """The scores of a position and its columns, without search; None if they are incomplete."""
    service = service_of(request)
    if position.is_over:
        return answer_at_end(position)
    answer = service.answer_service.booked(position, EVERYTHING)
    if answer is None:
        stored = await service.find_stored(position)
        if stored is not None:
            answer = answer_stored(position, EVERYTHING, stored)
    return answer


async def find_answer(request: Request, position: Position, *, budget: float) -> Answer:
    """The scores of a position and its columns, after a search of at most ``budget`` seconds."""
    answer = await find_known(request, position)
    if answer is not None:
        return answer
    service = service_of(request)
    question = Question(time_limit=budget)

    def search(stop: SearchStop) -> Answer:
        return service.answer_service.answer([position], question, stop)[0]

    async with service.search_slot(request):
        return await service.until_disconnected(request, search)


async def find_line(
    request: Request, position: Position, *, budget: float
) -> tuple[int, ...] | None:
    """Best play from a position with a known score; None if the budget is too small."""
    service = service_of(request)

    def search(stop: SearchStop) -> tuple[int, ...] | None:
        return service.answer_service.find_line(position, time_limit=budget, stop=stop)

    async with service.search_slot(request):
        return await service.until_disconnected(request, search)


PATH: Final = "/api/v1/position"


class PositionParameters(OfPosition):
    """A position, and the question about it."""

    budget: Annotated[
        Budget,
        Meta(
            description="Seconds to search, if neither book nor database has the answer.",
            examples=[0.1],
        ),
    ] = 2.0
    line: Annotated[
        bool, Meta(description="Add best play to the end, if the remaining time is enough.")
    ] = False
    queue: Annotated[
        bool, Meta(description="If the budget is too small, create a job for the position.")
    ] = False


Cell = Annotated[list[Column], Meta(min_length=2, max_length=2)]


class End(TypedDict):
    """The end of a game."""

    winner: Side | None
    cells: list[Cell]


class PlayableColumn(TypedDict):
    """A column; values that are not proven are null.

    A column that can be played has proven bounds, ``lower`` and ``upper``. Its ``value`` may be
    proven while its ``score`` is not.
    """

    column: Column
    playable: bool
    score: int | None
    lower: int | None
    upper: int | None
    value: Value | None
    plies: int | None
    best: bool


Share = Annotated[float, Meta(ge=0, le=1)]


class Estimate(TypedDict):
    """A guess, not proven. Fields of proven results are null.

    A share is the expected result for the side to move: 1 for a win, 0 for a loss. ``favoured`` is
    null if it is too close to call. Only an empty board has a ``published`` score.
    """

    favoured: Literal["win", "loss"] | None
    share: Share | None
    published: int | None
    columns: list[Share | None]


class Threats(TypedDict):
    """The cells that would complete four in a row, for each side."""

    x: list[Cell]
    o: list[Cell]


class Reason(TypedDict):
    """Why a move wins, stops a four or loses: proven, in words and as facts."""

    kind: Annotated[
        Literal["four", "two_threats", "forced", "waits", "stops"],
        Meta(description="What is true after the moves; docs/reviews.md explains the kinds."),
    ]
    side: Annotated[Side, Meta(description="The side that gains.")]
    moves: Annotated[
        list[Column], Meta(description="The move, and the forced moves or best play after it.")
    ]
    columns: Annotated[list[Column], Meta(description="The columns of the threats.")]
    squares: Annotated[list[Cell], Meta(description="The four, or the threats that decide.")]
    text: Annotated[str, Meta(description="One sentence; a1 is the lower left square.")]


class PositionFacts(TypedDict):
    """A position, its scores and its threats."""

    moves: str | None
    board: Board
    key: str
    grid: str
    ply: int
    side: Side
    over: End | None
    score: int | None
    lower: int
    upper: int
    complete: bool
    value: Value | None
    plies: int | None
    columns: list[PlayableColumn]
    best: list[Column]
    line: str | None
    reason: Annotated[
        Reason | None,
        Meta(description="Why the best column wins, draws or loses, if that is short."),
    ]
    estimate: Estimate | None
    threats: Threats
    source: Literal["book", "db", "search", "rules"]
    nodes: int
    seconds: float
    queued: int | None


class SolveParameters(OnBoard, kw_only=True, forbid_unknown_fields=False):
    """A position."""

    pos: Annotated[
        Moves,
        Meta(
            description="The moves; columns count from 1. `moves` is another name.",
            examples=["4453"],
        ),
    ]


class Solved(TypedDict):
    """The score of every column."""

    pos: str
    score: list[int]


async def get_position(request: Request) -> Response:
    """The position with the scores that are found within the budget."""
    service = service_of(request)
    query_string = request.scope["query_string"]
    known = service.known.find(PATH, query_string)
    if known is not None:
        return Response(known, media_type=JSON)
    values = parameters.read_query(request, PositionParameters)
    asked = values.read(or_moves="")
    if values.queue:
        require_write(request)
    began = time.monotonic()
    answer = await find_answer(request, asked.position, budget=values.budget)
    line = None
    if values.line and answer.score is not None:
        left = max(0.0, values.budget - (time.monotonic() - began))
        line = await find_line(request, asked.position, budget=left)
    queued = None
    if values.queue and not is_complete(asked.position, answer):
        queued = await _queue(request, asked.position)
    estimate = None
    if not is_complete(asked.position, answer):
        estimate = await service.in_thread(estimate_open, asked.position, answer)
    fields = describe_position(
        asked.position, answer, moves=asked.moves, line=line, estimate=estimate
    )
    body = encode(fields | {"queued": queued})
    if fields["complete"] and (line is not None or not values.line):
        service.known.keep(PATH, query_string, body)
    return Response(body, media_type=JSON)


async def _queue(request: Request, position: Position) -> int:
    """The number of the job for a position, which is found or created."""
    service = service_of(request)
    database = require_write(request)
    keys = key_array([position.key], position.board)
    job_id = await service.in_thread(
        partial(
            find_or_submit,
            database,
            keys,
            board=position.board,
            topic=topic_of(BOARD, keys),
            book=service.settings.book,
            label=web_label(BOARD),
        )
    )
    if service.runner is not None:
        await service.in_thread(service.runner.call, job_id)
    return job_id


def play_moves(moves: str, board: BoardSize) -> Position:
    """The position after moves that are written as ``4453``."""
    try:
        return Position(moves, board=board)
    except C4Error as error:
        raise ApiError(400, str(error), "pos") from None


UNPLAYABLE: Final = 100
"""The score of a column that cannot be played."""

SOLVE_PATH: Final = "/solve"


async def solve(request: Request) -> Response:
    """The score of every column."""
    service = service_of(request)
    asked = request.scope["query_string"]
    known = service.known.find(SOLVE_PATH, asked)
    if known is not None:
        return Response(known, media_type=JSON)
    limits = service.settings.limits
    given = dict(request.query_params)
    if "moves" in given:
        given.setdefault("pos", given["moves"])
    values = parameters.read(SolveParameters, given, limits)
    position = play_moves(values.pos, read_board(values.board))
    budget = limits.budget_seconds
    answer = await find_answer(request, position, budget=budget)
    if not is_complete(position, answer):
        raise unavailable(f"not solved within {budget:g} seconds", "pos")
    scores = [UNPLAYABLE if score is None else score for score in answer.scores or ()]
    body = encode({"pos": values.pos, "score": scores})
    service.known.keep(SOLVE_PATH, asked, body)
    return Response(body, media_type=JSON)


ROUTES: Final = [Route(SOLVE_PATH, solve), Route(PATH, get_position)]

PATHS: Final[dict[str, object]] = {
    PATH: {
        "get": openapi.operation(
            "A position with its scores and threats",
            PositionFacts,
            query=PositionParameters,
            problems=(401, 409),
            description="Scores are for the side to move. If they are not proven within the "
            "budget, they are null, `complete` is false, `lower` and `upper` are proven bounds, "
            "also of every column, and `estimate` is a guess. Give at most one of moves, key and "
            "grid. With queue, the request changes data like a POST.",
        )
    },
    SOLVE_PATH: {
        "get": openapi.operation(
            "The score of every column, in the format of gamesolver.org",
            Solved,
            query=SolveParameters,
            description="Scores are for the side to move: 1 is a win with its last stone, -1 a "
            "loss to the opponent's last stone, 100 a column that cannot be played.",
        )
    },
}
