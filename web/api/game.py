"""The review of a game: every move with its score before and after, and its loss."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict

from msgspec import UNSET, Meta
from starlette.responses import Response
from starlette.routing import Route

from c4core.arena.file_formats import game_of_moves
from c4core.errors import C4Error
from web import openapi, parameters
from web.api.games import EXAMPLE, GameBody, Number, read_game_body
from web.api.position import Reason  # noqa: TC001 (read at run time)
from web.bodies import read_object
from web.parameters import (
    AnyMoves,
    Budget,
    Column,
    OnBoard,
    Parameters,
    Side,
    read_board,
)
from web.responses import CSV, ApiError, json_response
from web.service import service_of
from workers.match.reviews import (
    BUDGET,
    Review as FoundReview,
    read_game,
    review_game,
    review_object,
)

if TYPE_CHECKING:
    from starlette.requests import Request

    from c4core.arena.files import GameEntry
    from web.service import Service
    from workers.answers.service import SearchStop

Percent = Annotated[float, Meta(ge=0, le=100)]


ReviewBudget = Annotated[
    Budget, Meta(description="Seconds of search for the complete game.", examples=[2])
]


class ReviewParameters(Parameters):
    """The time for a review."""

    budget: ReviewBudget = BUDGET


class GameParameters(OnBoard):
    """A game: its moves, or a stored game."""

    budget: ReviewBudget = BUDGET
    format: Annotated[
        Literal["json", "csv"],
        Meta(description="csv: a row for each move, and no totals."),
    ] = "json"
    moves: Annotated[
        AnyMoves | None, Meta(description="Moves from the empty board.", examples=["4455667"])
    ] = None
    match: Annotated[
        Number | None, Meta(description="A stored game's match, instead of moves.")
    ] = None
    number: Annotated[Number | None, Meta(description="The stored game's number in its match.")] = (
        None
    )


class Percentages(TypedDict):
    """A percentage for each side."""

    x: Percent | None
    o: Percent | None


class ReviewedMove(TypedDict):
    """A move of a review."""

    ply: Annotated[int, Meta(description="Stones on the board before the move.")]
    side: Side
    column: Column
    before: Annotated[int | None, Meta(description="Score of the best column.")]
    after: Annotated[int | None, Meta(description="Score of this column.")]
    loss: Annotated[int | None, Meta(description="Points given away.")]
    plies_before: Annotated[
        int | None,
        Meta(description="Plies from the position before the move to the end, with best play."),
    ]
    plies_after: Annotated[
        int | None,
        Meta(description="Plies from the position after the move to the end, with best play."),
    ]
    best: list[Column]
    keeps: Annotated[list[Column], Meta(description="The columns that keep the result.")]
    mark: Annotated[
        Literal["??", "?", "!", ""],
        Meta(
            description="`??`: changed the result for the worse; `?`: wins later or loses sooner "
            "than necessary; `!`: the only move that kept the result, and not obvious."
        ),
    ]
    changes_result: bool
    missed_win: Annotated[bool, Meta(description="Turned a win into a draw or a loss.")]
    reason: Annotated[
        Reason | None,
        Meta(description="Why a move marked `??` loses, or why one marked `!` is good."),
    ]
    better: Annotated[
        Reason | None, Meta(description="Why a best column is better than a move marked `??`.")
    ]


class Review(TypedDict):
    """A game with the loss of each move."""

    board: str
    start: Annotated[
        str | None,
        Meta(description="The first position, top row first; null for the empty board."),
    ]
    moves: str | None
    first: str | None
    second: str | None
    winner: Side | None
    ending: str
    complete: Annotated[bool, Meta(description="Whether every move is judged.")]
    not_judged: Annotated[
        int, Meta(description="Moves that are not judged; no figure counts them.")
    ]
    accuracy: Annotated[
        Percentages,
        Meta(
            description="Percentage of a side's moves that kept the result, among the moves that "
            "could have lost it; null if there were none."
        ),
    ]
    best_moves: Annotated[
        Percentages,
        Meta(
            description="Percentage of a side's moves that were best, among the moves for which "
            "another column was worse; null if there were none."
        ),
    ]
    moves_judged: list[ReviewedMove]
    turning_points: list[int]
    nodes: int
    seconds: float


async def get_review(request: Request) -> Response:
    """Review a game from the query: its moves, or a stored game."""
    service = service_of(request)
    asked = parameters.read_query(request, GameParameters)
    if asked.match is not None or asked.number is not None:
        game = await _stored_game(service, asked)
    else:
        if asked.moves is None:
            raise ApiError(400, 'give "moves", or "match" and "number"', "moves")
        board = read_board(asked.board)
        try:
            game = game_of_moves(asked.moves, board)
        except C4Error as error:
            raise ApiError(400, str(error), "moves") from None
    if asked.format == "json":
        return await _answer(request, game, asked.budget)
    return _table(await _review(request, game, asked.budget))


async def post_review(request: Request) -> Response:
    """Review a game from a JSON object."""
    budget = parameters.read_query(request, ReviewParameters).budget
    body = await read_object(request, GameBody)
    return await _answer(request, read_game_body(body), budget)


async def _stored_game(service: Service, asked: GameParameters) -> GameEntry:
    for name, value in (("moves", asked.moves), ("board", asked.board)):
        if value not in {None, UNSET}:
            raise ApiError(400, f"{name} cannot be combined with a stored game", name)
    for name, number in (("match", asked.match), ("number", asked.number)):
        if number is None:
            raise ApiError(400, f"a stored game needs match and number: {name} is missing", name)
    return await service.in_thread(read_game, service.require_database(), asked.match, asked.number)


async def _answer(request: Request, game: GameEntry, budget: float) -> Response:
    return json_response(await _review(request, game, budget))


async def _review(request: Request, game: GameEntry, budget: float) -> dict[str, Any]:
    service = service_of(request)

    def review(stop: SearchStop) -> FoundReview:
        return review_game(game, service.answer_service, budget=budget, stop=stop)

    async with service.search_slot(request):
        found = await service.until_disconnected(request, review)
    return review_object(found)


def _table(review: dict[str, Any]) -> Response:
    """The moves of a review as CSV; several best columns are separated by blanks."""
    stream = io.StringIO()
    table = csv.DictWriter(stream, list(ReviewedMove.__annotations__))
    table.writeheader()
    for move in review["moves_judged"]:
        table.writerow(move | {"best": " ".join(map(str, move["best"]))})
    return Response(stream.getvalue(), media_type=CSV)


ROUTES: Final = [
    Route("/api/v1/game", get_review),
    Route("/api/v1/game", post_review, methods=["POST"]),
]

PATHS: Final[dict[str, object]] = {
    "/api/v1/game": {
        "get": openapi.operation(
            "The review of a game",
            openapi.content(Review) | openapi.content(openapi.TEXT, CSV),
            query=GameParameters,
            problems=[404],
            description="Scores are for the side that moved; columns count from 1.",
        ),
        "post": openapi.operation(
            "The review of a game in the body",
            Review,
            query=ReviewParameters,
            body=openapi.content(GameBody, example=EXAMPLE),
        ),
    }
}
