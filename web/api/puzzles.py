"""Puzzles: positions with a single move that keeps a win or a draw."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final, Literal, TypedDict, cast

from msgspec import UNSET, Meta
from starlette.routing import Route

from c4core.dice import Dice
from web import openapi, parameters
from web.api.games import Number
from web.api.players import LARGEST_SEED
from web.parameters import Board, Budget, Column, Moves, OnBoard, Side, read_board
from web.responses import ApiError, json_response
from web.service import service_of
from workers.match.puzzles import PuzzleSearch, match_games, puzzle_object

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from workers.answers.service import SearchStop
    from workers.match.puzzles import Puzzle as FoundPuzzle

MOST: Final = 20
"""Maximum number of puzzles in an answer."""


class PuzzlesParameters(OnBoard):
    """The source of the puzzles."""

    count: Annotated[
        int, Meta(ge=1, le=MOST, description="Maximum number of puzzles.", examples=[1])
    ] = 5
    seed: Annotated[
        int,
        Meta(
            ge=0, le=LARGEST_SEED, description="The same seed gives the same puzzles.", examples=[1]
        ),
    ] = 0
    match: Annotated[
        Number | None,
        Meta(description="Take the puzzles from this match's stored games, not from random play."),
    ] = None
    budget: Annotated[Budget, Meta(description="Seconds of search.", examples=[5])] = 5.0


class Puzzle(TypedDict):
    """A position with a single column that keeps the result."""

    match: Annotated[int | None, Meta(description="The match of the stored game.")]
    number: Annotated[int | None, Meta(description="The stored game's number in its match.")]
    board: Board
    moves: Annotated[Moves | None, Meta(description="Null if the game began with other stones.")]
    key: str
    grid: Annotated[str, Meta(description="The position, top row first.")]
    ply: int
    side: Annotated[Side, Meta(description="The side to move.")]
    keeps: Annotated[
        Literal["win", "draw"], Meta(description="The result that the solution keeps.")
    ]
    solution: Column
    line: Annotated[
        str, Meta(description="Best play to the end of the game; it begins with the solution.")
    ]
    length: Annotated[int, Meta(description="The number of moves of the line.")]
    difficulty: Annotated[
        int,
        Meta(
            description="The number of positions that a search without book and database visits "
            "to find who wins."
        ),
    ]


class Puzzles(TypedDict):
    """Puzzles, each from a different game."""

    puzzles: list[Puzzle]
    complete: Annotated[bool, Meta(description="False if the budget ended the search.")]


async def get_puzzles(request: Request) -> Response:
    """Puzzles of a match or of random play."""
    service = service_of(request)
    asked = parameters.read_query(request, PuzzlesParameters)
    if asked.match is not None and asked.board is not UNSET:
        raise ApiError(400, "board cannot be combined with a match", "board")
    board = read_board(asked.board)
    database = None if asked.match is None else service.require_database()

    def find(stop: SearchStop) -> Puzzles:
        search = PuzzleSearch(service.answer_service, budget=asked.budget, stop=stop)
        if database is None or asked.match is None:
            found = search.random(board, seed=asked.seed, count=asked.count)
        else:
            games = match_games(database, asked.match, seed=asked.seed)
            found = islice(search.one_of_each(games, Dice(asked.seed)), asked.count)
        return {"puzzles": [*map(_shown, found)], "complete": search.is_complete}

    async with service.search_slot(request):
        return json_response(await service.until_disconnected(request, find))


def _shown(found: FoundPuzzle) -> Puzzle:
    """The puzzle with its key as text, because JavaScript numbers have 53 bits."""
    return cast("Puzzle", puzzle_object(found) | {"key": str(found.position.key)})


ROUTES: Final = [Route("/api/v1/puzzles", get_puzzles)]

PATHS: Final[dict[str, object]] = {
    "/api/v1/puzzles": {
        "get": openapi.operation(
            "Puzzles: positions with a single move that keeps a win or a draw",
            Puzzles,
            query=PuzzlesParameters,
            problems=[404],
            description="The move does not win at once, and it is not the only one that does not "
            "lose at once. Without a match, the positions come from random play.",
        )
    }
}
