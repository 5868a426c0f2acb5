"""The review of a game: every move with its score before and after, and what it gave away."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from c4core.arena.file_formats import game_of_moves, parse_json_game
from c4core.arena.files import GameFileError
from c4core.arena.game import Ending
from web import openapi, parameters
from web.api.games import LARGE_NUMBERS, LARGEST_NUMBER, NUMBER_SCHEMA
from web.bodies import read_object
from web.parameters import play, read_board
from web.responses import ApiError, json_response
from web.service import service_of
from workers.matches.reviews.game import BUDGET, read_game, review_game
from workers.matches.reviews.reviewed import Review, review_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from c4core.arena.files import GameEntry
    from web.service import Service
    from workers.positions.stop import Stop

STORED: Final = ("match", "number")
LARGE_NUMBER: Final = re.compile(r"[0-9]{1,20}")
LONGEST_ERROR: Final = 500
"""Characters of an error that may quote what was sent."""


async def get_review(request: Request) -> Response:
    """Review a game that is named in the address: by its moves, or as a stored one."""
    service = service_of(request)
    values = parameters.read_query(request, {"moves", "board", "budget", *STORED})
    budget = parameters.budget(values, service.settings.limits, BUDGET)
    if any(name in values for name in STORED):
        game = await _stored_game(service, values)
    else:
        if "moves" not in values:
            raise ApiError(400, 'give "moves", or "match" and "number"', "moves")
        board = read_board(values)
        play(values["moves"], board, "moves")
        game = game_of_moves(values["moves"], board)
    return await _answer(request, game, budget)


async def post_review(request: Request) -> Response:
    """Review a game that is sent as the JSON object of a game."""
    limits = service_of(request).settings.limits
    values = parameters.read_query(request, {"budget"})
    budget = parameters.budget(values, limits, BUDGET)
    fields = await read_object(request, limits)
    try:
        game = parse_json_game(json.dumps(_with_numbers(fields)))
    except GameFileError as error:
        raise ApiError(400, str(error)[:LONGEST_ERROR], error.field) from None
    del fields  # may be large
    return await _answer(request, game, budget)


def _with_numbers(fields: Mapping[str, object]) -> dict[str, object]:
    """A game as files have it: large numbers may be text here, as in answers about games."""
    read: dict[str, object] = dict(fields)
    for name in LARGE_NUMBERS:
        value = fields.get(name)
        if isinstance(value, str) and LARGE_NUMBER.fullmatch(value):
            read[name] = int(value)
    return read


async def _stored_game(service: Service, values: dict[str, str]) -> GameEntry:
    for name in ("moves", "board"):
        if name in values:
            raise ApiError(400, f"{name} and a stored game do not go together", name)
    numbers = [parameters.whole(values, name, None, 0, LARGEST_NUMBER) for name in STORED]
    for name, number in zip(STORED, numbers, strict=True):
        if number is None:
            raise ApiError(400, f"a stored game is named by match and number; no {name}", name)
    return await service.in_thread(read_game, service.require_database(), *numbers)


async def _answer(request: Request, game: GameEntry, budget: float) -> Response:
    service = service_of(request)

    def review(stop: Stop) -> Review:
        return review_game(game, service.desk, budget=budget, stop=stop)

    async with service.search_slot(request):
        found = await service.until_disconnected(request, review)
    return json_response(review_object(found))


ROUTES: Final = [
    Route("/api/v1/game", get_review),
    Route("/api/v1/game", post_review, methods=["POST"]),
]

_PERCENT: Final = openapi.nullable({"type": "number", "minimum": 0, "maximum": 100})
_LARGE: Final = {
    "anyOf": [openapi.WHOLE, {"type": "string", "pattern": "^[0-9]{1,20}$"}, {"type": "null"}],
    "description": "A number of 64 bits, as a number or as text.",
}
_GAME: Final[dict[str, Any]] = {
    "type": "object",
    "description": "A game as in files of games; unknown fields are ignored.",
    "properties": {
        "board": openapi.nullable(openapi.BOARD),
        "moves": openapi.nullable(openapi.MOVES),
        "start": _LARGE,
        "final": _LARGE,
        "first": openapi.nullable(openapi.TEXT),
        "second": openapi.nullable(openapi.TEXT),
        "winner": {"enum": ["x", "o", None]},
        "ending": {"enum": [*map(str, Ending), None]},
        "seed": _LARGE,
    },
    "example": {"board": "7x6", "moves": "4455667", "winner": "x"},
}
_MOVE: Final = openapi.record(
    {
        "ply": {"type": "integer", "description": "Stones on the board before the move."},
        "side": openapi.SIDE,
        "column": openapi.COLUMN,
        "before": openapi.nullable({"type": "integer", "description": "The best column's score."}),
        "after": openapi.nullable({"type": "integer", "description": "This column's score."}),
        "loss": openapi.nullable({"type": "integer", "description": "Points given away."}),
        "plies_before": openapi.nullable(
            {"type": "integer", "description": "Plies to the end from before the move, at best."}
        ),
        "plies_after": openapi.nullable(
            {"type": "integer", "description": "Plies to the end from after the move."}
        ),
        "best": openapi.array(openapi.COLUMN),
        "mark": {
            "enum": ["??", "?", "!", ""],
            "description": "?? changed the result for the worse; ? won more slowly or lost more "
            "quickly; ! was the only move that kept the result, and not obvious.",
        },
        "changes_result": openapi.FLAG,
    }
)
SCHEMAS: Final[dict[str, object]] = {
    "Review": openapi.record(
        {
            "board": openapi.TEXT,
            "start": openapi.nullable(
                {"type": "string", "description": "The first grid, top row first."}
            ),
            "moves": openapi.nullable(openapi.TEXT),
            "first": openapi.nullable(openapi.TEXT),
            "second": openapi.nullable(openapi.TEXT),
            "winner": openapi.nullable(openapi.SIDE),
            "ending": openapi.TEXT,
            "complete": {"type": "boolean", "description": "Whether every move is judged."},
            "accuracy": {
                **openapi.record({"x": _PERCENT, "o": _PERCENT}),
                "description": "Percent of a side's moves that kept the result, of those that "
                "could have lost it; null where it had no such choice.",
            },
            "best_moves": {
                **openapi.record({"x": _PERCENT, "o": _PERCENT}),
                "description": "Percent of a side's moves that no other column was better than, "
                "of those where one was worse; null where it had no such choice.",
            },
            "moves_judged": openapi.array(_MOVE),
            "turning_points": openapi.array(openapi.WHOLE),
            "nodes": openapi.WHOLE,
            "seconds": openapi.NUMBER,
        }
    )
}
_BUDGET: Final = openapi.query(
    "budget",
    openapi.seconds_to_search(default=BUDGET),
    "Seconds of searching for the whole game.",
    example=2,
)

PATHS: Final[dict[str, object]] = {
    "/api/v1/game": {
        "get": openapi.operation(
            "The review of a game",
            openapi.ref("Review"),
            parameters=[
                openapi.query(
                    "moves", openapi.MOVES, "The game, from the empty board.", example="4455667"
                ),
                openapi.query(
                    "board", openapi.BOARD | {"default": "7x6"}, "Columns x rows.", example="7x6"
                ),
                openapi.query("match", NUMBER_SCHEMA, "A stored game's match, in place of moves."),
                openapi.query("number", NUMBER_SCHEMA, "Its number in the match."),
                _BUDGET,
            ],
            problems=[404],
            description="Scores are for the side that moved; columns count from 1.",
        ),
        "post": openapi.operation(
            "The review of a game that is sent",
            openapi.ref("Review"),
            parameters=[_BUDGET],
            body=_GAME,
        ),
    }
}
