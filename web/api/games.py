"""Stored games: a list, page by page, and each by its match and number."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from c4core.arena.file_formats import json_object
from c4core.arena.game import Ending
from db import games
from db.decoding import decoding
from db.records.games import GameCursor, GameFilter
from web import openapi, parameters
from web.parameters import read_board
from web.responses import ApiError, json_response
from web.service import service_of
from workers.matches.files.entries import entry_of
from workers.matches.reports.reading import check_matches
from workers.matches.reviews.game import read_game

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from c4core.arena.files import GameEntry
    from db.database import Database

PAGE: Final = 50
"""Games of a page by default."""
LARGEST_PAGE: Final = 500
LARGEST_NUMBER: Final = (1 << 31) - 1
"""Larger than the number of any match or game; a column of a database holds it."""
WINNERS: Final = ("x", "o", "draw")
ENDINGS: Final = tuple(map(str, Ending))
NAMES: Final = frozenset({"match", "board", "winner", "ending", "limit", "cursor"})
LARGE_NUMBERS: Final = ("seed", "start", "final")
"""Fields of a game with numbers of 64 bits."""
CURSOR: Final = re.compile(r"[0-9]{1,10}:[0-9]{1,10}")


async def list_games(request: Request) -> Response:
    """Stored games that meet some conditions, by match and number."""
    service = service_of(request)
    values = parameters.read_query(request, NAMES)
    match = parameters.whole(values, "match", None, 0, LARGEST_NUMBER)
    winner = parameters.choice(values, "winner", None, WINNERS)
    ending = parameters.choice(values, "ending", None, ENDINGS)
    filters = GameFilter(
        matches=None if match is None else (match,),
        board=read_board(values) if "board" in values else None,
        winner=winner if winner in ("x", "o") else None,  # type: ignore[arg-type]
        is_draw=True if winner == "draw" else None,
        endings=None if ending is None else (ending,),
    )
    limit = parameters.whole(values, "limit", PAGE, 1, LARGEST_PAGE)
    read = partial(_read_page, filters=filters, after=_read_cursor(values), limit=limit)
    database = service.require_database()
    async with service.search_slot(request):  # conditions may be met far apart in a large table
        return json_response(await service.in_thread(read, database))


async def get_game(request: Request) -> Response:
    """One stored game."""
    service = service_of(request)
    parameters.read_query(request, ())
    match, number = (path_number(request, name) for name in ("match", "number"))
    game = await service.in_thread(read_game, service.require_database(), match, number)
    return json_response(game_object(game))


def path_number(request: Request, name: str) -> int:
    """The number of a match or of a game in the path of an address.

    Raises:
        ApiError: 400, it is none.
    """
    return parameters.whole(request.path_params, name, 0, 0, LARGEST_NUMBER)


def game_object(game: GameEntry) -> dict[str, Any]:
    """A game as in files of games, with its length, and with grids where moves do not say them.

    Numbers of 64 bits are text: those of JavaScript have 53.
    """
    fields = json_object(game) | {"length": game.final.ply - game.start.ply}
    fields |= {name: str(fields[name]) for name in LARGE_NUMBERS if name in fields}
    if game.start.ply:
        fields["start_grid"] = str(game.start)
    if game.moves is None:
        fields["final_grid"] = str(game.final)
    return fields


def _read_cursor(values: Mapping[str, str]) -> GameCursor | None:
    text = values.get("cursor")
    if text is None:
        return None
    if CURSOR.fullmatch(text):
        cursor = GameCursor.parse(text)
        if max(cursor) <= LARGEST_NUMBER:
            return cursor
    message = f'cursor must be "next" of the page before, not {parameters.quote(text)}'
    raise ApiError(400, message, "cursor")


def _read_page(
    database: Database, *, filters: GameFilter, after: GameCursor | None, limit: int
) -> dict[str, Any]:
    check_matches(database, filters.matches or ())
    with database.read() as session:
        page = games.list_games(session, filters, after=after, limit=limit)
        matches = {game.match_id for game in page.games}
        terms = {match: games.get_terms(session, match) for match in matches}
    with decoding("a stored game"):
        shown = [game_object(entry_of(game, terms[game.match_id])) for game in page.games]
    return {"games": shown, "next": None if page.next is None else str(page.next)}


ROUTES: Final = [
    Route("/api/v1/games", list_games),
    Route("/api/v1/games/{match}/{number}", get_game),
]

_DIGITS: Final = {"type": "string", "pattern": "^[0-9]{1,20}$"}
SCHEMAS: Final[dict[str, object]] = {
    "Game": openapi.record(
        {
            "match": openapi.WHOLE,
            "number": openapi.WHOLE,
            "board": openapi.TEXT,
            "winner": openapi.nullable(openapi.SIDE),
            "ending": {"enum": list(ENDINGS)},
            "length": openapi.WHOLE,
            "moves": openapi.TEXT,
            "first": openapi.TEXT,
            "second": openapi.TEXT,
            "seed": _DIGITS,
            "start": {**_DIGITS, "description": "Key of the first position."},
            "start_grid": {"type": "string", "description": "The first position."},
            "final": {**_DIGITS, "description": "Key of the last position."},
            "final_grid": {"type": "string", "description": "The last position."},
            "detail": openapi.TEXT,
            "x_seconds": openapi.NUMBER,
            "o_seconds": openapi.NUMBER,
            "replaced": openapi.array(openapi.WHOLE),
        },
        optional=(
            *("moves", "first", "second", "seed", "start", "start_grid", "final", "final_grid"),
            *("detail", "x_seconds", "o_seconds", "replaced"),
        ),
    )
}
NUMBER_SCHEMA: Final = openapi.whole_between(0, LARGEST_NUMBER)
PATHS: Final[dict[str, object]] = {
    "/api/v1/games": {
        "get": openapi.operation(
            "Stored games",
            openapi.record(
                {
                    "games": openapi.array(openapi.ref("Game")),
                    "next": openapi.nullable(openapi.TEXT),
                }
            ),
            parameters=[
                openapi.query("match", NUMBER_SCHEMA, "Only games of this match."),
                openapi.query("board", openapi.BOARD, "Only games on this board.", example="7x6"),
                openapi.query("winner", {"enum": list(WINNERS)}, "Who won.", example="x"),
                openapi.query("ending", {"enum": list(ENDINGS)}, "How it ended.", example="four"),
                openapi.query(
                    "limit",
                    openapi.whole_between(1, LARGEST_PAGE, PAGE),
                    "Games of a page.",
                    example=5,
                ),
                openapi.query(
                    "cursor", {"type": "string", "pattern": f"^{CURSOR.pattern}$"}, "`next`."
                ),
            ],
            problems=[404],
            description="By match and number. The objects are those of files of games, but that "
            "numbers of 64 bits are text.",
        )
    },
    "/api/v1/games/{match}/{number}": {
        "get": openapi.operation(
            "A stored game",
            openapi.ref("Game"),
            parameters=[
                openapi.place("match", NUMBER_SCHEMA, "The match.", example=1),
                openapi.place("number", NUMBER_SCHEMA, "The game's number in it.", example=0),
            ],
            problems=[404],
        )
    },
}
