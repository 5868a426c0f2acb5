"""Stored games: a list in pages, and single games by match and number."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal, NotRequired, TypedDict, cast

from msgspec import UNSET, Meta, Struct, UnsetType, structs
from starlette.routing import Route

from c4core.arena.file_formats import json_object, read_json_game
from c4core.arena.files import GameFileError
from c4core.arena.game import Ending
from c4core.notation import LABELS
from db import games
from db.records.games import GameCursor, GameFilter
from web import openapi, parameters
from web.access import require_write
from web.bodies import read_object
from web.parameters import (
    DIGITS,
    AnyMoves,
    Board,
    Column,
    OnBoard,
    Parameters,
    Side,
    play_any,
    read_board,
)
from web.responses import ApiError, json_response, without_directories
from web.service import service_of
from workers.match.files import add_game, entry_of
from workers.match.judging import check_matches
from workers.match.reviews import read_game

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from c4core.arena.files import GameEntry
    from c4core.position import Position
    from db.database import Database

PAGE: Final = 50
LARGEST_PAGE: Final = 500
LARGEST_NUMBER: Final = (1 << 31) - 1
"""Upper bound of the numbers of matches and games; it fits a column of the database."""
Number = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
Digits = Annotated[str, Meta(pattern=f"^{DIGITS.pattern}$")]
Winner = Literal["x", "o", "draw"]
ENDINGS: Final = tuple(map(str, Ending))
LARGE_NUMBERS: Final = ("seed", "start", "final")
"""The fields of a game whose numbers may need more than 53 bits."""
LABEL: Final = "played on the page"
"""The label of the matches of games that clients store."""
LONGEST_ERROR: Final = 500
"""Maximum length of an error message that quotes the request."""
MOST_COUNTED: Final = 20_000
"""Maximum number of games that are read to count the moves of a position."""
MOST_PLAYERS: Final = 5
CURSOR: Final = re.compile(r"[0-9]{1,10}:[0-9]{1,10}")


class GamesParameters(Parameters):
    """Filters of stored games, and the page."""

    match: Annotated[Number | None, Meta(description="Only games of this match.")] = None
    board: Annotated[
        Board | UnsetType, Meta(description="Only games on this board.", examples=["7x6"])
    ] = UNSET
    winner: Annotated[Winner | None, Meta(description="The winner.", examples=["x"])] = None
    ending: Annotated[Ending | None, Meta(description="How the game ended.", examples=["four"])] = (
        None
    )
    limit: Annotated[
        int, Meta(ge=1, le=LARGEST_PAGE, description="Games per page.", examples=[5])
    ] = PAGE
    cursor: Annotated[
        Annotated[str, Meta(extra_json_schema={"pattern": f"^{CURSOR.pattern}$"})] | UnsetType,
        Meta(description="`next` of the previous page."),
    ] = UNSET


class MoveGames(TypedDict):
    """The games in which a column was played, with the results of the player to move."""

    column: Column
    games: int
    wins: int
    draws: int
    losses: int
    players: Annotated[
        list[PlayedBy], Meta(description="The players who played it most often, at most five.")
    ]


class PlayedBy(TypedDict):
    """A player, and how often it played a column."""

    player: Annotated[str, Meta(description="Empty if it is not known.")]
    games: int


class Openings(TypedDict):
    """The continuations of stored games from a position."""

    moves: str
    board: str
    games: int
    columns: list[MoveGames]


class OneGame(Parameters):
    """A stored game."""

    match: Annotated[Number, Meta(description="The match's number.", examples=[1])]
    number: Annotated[Number, Meta(description="The game's number in the match.", examples=[0])]


class Game(TypedDict):
    """A game as in game files, but large numbers are text."""

    match: int
    number: int
    board: str
    winner: Side | None
    ending: Annotated[str, Meta(extra_json_schema={"enum": list(ENDINGS)})]
    length: int
    moves: NotRequired[str]
    first: NotRequired[str]
    second: NotRequired[str]
    seed: NotRequired[Digits]
    start: NotRequired[Annotated[Digits, Meta(description="Key of the first position.")]]
    start_grid: NotRequired[Annotated[str, Meta(description="The first position.")]]
    final: NotRequired[Annotated[Digits, Meta(description="Key of the last position.")]]
    final_grid: NotRequired[Annotated[str, Meta(description="The last position.")]]
    detail: NotRequired[str]
    x_seconds: NotRequired[float]
    o_seconds: NotRequired[float]
    replaced: NotRequired[list[int]]


class OpeningParameters(OnBoard):
    """The first moves of games."""

    moves: Annotated[
        AnyMoves, Meta(description="The moves from the empty board.", examples=["44"])
    ] = ""


class Games(TypedDict):
    """A page of stored games."""

    games: list[Game]
    next: str | None


async def list_games(request: Request) -> Response:
    """A page of the stored games that match the filters, by match and number."""
    service = service_of(request)
    asked = parameters.read_query(request, GamesParameters)
    filters = GameFilter(
        matches=None if asked.match is None else (asked.match,),
        board=None if asked.board is UNSET else read_board(asked.board),
        winner=None if asked.winner == "draw" else asked.winner,
        is_draw=True if asked.winner == "draw" else None,
        endings=None if asked.ending is None else (asked.ending.value,),
    )
    after = parameters.read_cursor(asked.cursor, CURSOR, _parse_cursor)
    database = service.require_database()
    async with service.search_slot(request):  # matching rows may be far apart in a large table
        page = await service.in_thread(_read_page, database, filters, after, asked.limit)
    return json_response(page)


async def get_openings(request: Request) -> Response:
    """The columns that were played from a position in the latest stored games."""
    service = service_of(request)
    asked = parameters.read_query(request, OpeningParameters)
    board = read_board(asked.board)
    position = play_any(asked.moves, board, "moves").position
    database = service.require_database()
    async with service.search_slot(request):
        found = await service.in_thread(_read_moves, database, position)
    return json_response(found)


def _read_moves(database: Database, position: Position) -> Openings:
    moves = position.moves or ""
    with database.read() as session:
        found = games.count_moves(session, position.board, moves, most=MOST_COUNTED)
    columns: list[MoveGames] = []
    for label in sorted({one.column for one in found}, key=LABELS.index):
        counts = [one for one in found if one.column == label]
        results, players = Counter[Side | None](), Counter[str]()
        for one in counts:
            results[one.winner] += one.games
            players[one.player] += one.games
        columns.append(
            {
                "column": LABELS.index(label),
                "games": results.total(),
                "wins": results[position.turn],
                "draws": results[None],
                "losses": results["o" if position.turn == "x" else "x"],
                "players": [
                    {"player": without_directories(player), "games": number}
                    for player, number in players.most_common(MOST_PLAYERS)
                ],
            }
        )
    total = sum(column["games"] for column in columns)
    return {"moves": moves, "board": str(position.board), "games": total, "columns": columns}


async def post_game(request: Request) -> Response:
    """Store a game that is over."""
    service = service_of(request)
    database = require_write(request)
    parameters.read_query(request, Parameters)
    entry = read_game_body(await read_object(request, GameBody))
    if entry.ending is Ending.UNFINISHED:
        raise ApiError(400, "the game is not over: play it to its end, or resign", "ending")
    match, number = await service.in_thread(partial(add_game, database, entry, label=LABEL))
    shown = game_object(entry._replace(match=match, number=number))
    return json_response(shown, 201, {"Location": f"/api/v1/games/{match}/{number}"})


Large = Annotated[
    int | Annotated[str, Meta(extra_json_schema={"pattern": f"^{DIGITS.pattern}$"})] | None,
    Meta(description="A large number, as a number or as text."),
]


class GameBody(Struct, kw_only=True):
    """A game as in game files; unknown fields are ignored."""

    board: Board | None = None
    moves: AnyMoves | None = None
    start: Large = None
    final: Large = None
    first: str | None = None
    second: str | None = None
    winner: Side | None = None
    ending: Ending | None = None
    seed: Large = None
    detail: str | None = None
    x_seconds: float | None = None
    o_seconds: float | None = None
    replaced: list[int] | None = None


EXAMPLE: Final = {"board": "7x6", "moves": "4455667", "winner": "x"}


def read_game_body(body: GameBody) -> GameEntry:
    """Read a game; large numbers may be text."""
    fields: dict[str, object] = {
        name: value for name, value in structs.asdict(body).items() if value is not None
    }
    for name in LARGE_NUMBERS:
        value = fields.get(name)
        if isinstance(value, str) and DIGITS.fullmatch(value):
            fields[name] = int(value)
    try:
        return read_json_game(fields)
    except GameFileError as error:
        raise ApiError(400, str(error)[:LONGEST_ERROR], error.field) from None


async def get_game(request: Request) -> Response:
    """One stored game."""
    service = service_of(request)
    parameters.read_query(request, Parameters)
    asked = parameters.read_path(request, OneGame)
    game = await service.in_thread(read_game, service.require_database(), asked.match, asked.number)
    return json_response(game_object(game))


def game_object(game: GameEntry) -> Game:
    """A game as in game files, with its length, and with grids that its moves do not determine.

    Large numbers are text, because JavaScript's numbers have 53 bits.
    """
    fields = json_object(game) | {"length": game.final.ply - game.start.ply}
    fields |= {name: str(fields[name]) for name in LARGE_NUMBERS if name in fields}
    if game.start.ply:
        fields["start_grid"] = str(game.start)
    if game.moves is None:
        fields["final_grid"] = str(game.final)
    return cast("Game", without_directories(fields))


def _parse_cursor(text: str) -> GameCursor:
    cursor = GameCursor.parse(text)
    if max(cursor) > LARGEST_NUMBER:
        raise ValueError(text)
    return cursor


def _read_page(
    database: Database, filters: GameFilter, after: GameCursor | None, limit: int
) -> Games:
    check_matches(database, filters.matches or ())
    with database.read() as session:
        page = games.list_games(session, filters, after=after, limit=limit)
        matches = {game.match_id for game in page.games}
        terms = {match: games.get_terms(session, match) for match in matches}
    shown = [game_object(entry_of(game, terms[game.match_id])) for game in page.games]
    return {"games": shown, "next": None if page.next is None else str(page.next)}


ROUTES: Final = [
    Route("/api/v1/games", list_games),
    Route("/api/v1/games", post_game, methods=["POST"]),
    Route("/api/v1/games/{match}/{number}", get_game),
    Route("/api/v1/openings", get_openings),
]


def _post() -> openapi.Schema:
    described = openapi.operation(
        "Store a game",
        Game,
        body=openapi.content(GameBody, example=EXAMPLE),
        description="A game that is over or was resigned. It is replayed: moves must be legal, and "
        "the result must be that of the board. Games between the same players become one match.",
    )
    described["responses"]["201"] = described["responses"].pop("200")
    return openapi.writing(described)


PATHS: Final[dict[str, object]] = {
    "/api/v1/games": {
        "get": openapi.operation(
            "Stored games",
            Games,
            query=GamesParameters,
            problems=[404],
            description="Ordered by match and number. Objects are as in game files, but keys and "
            "seeds are text.",
        ),
        "post": _post(),
    },
    "/api/v1/games/{match}/{number}": {
        "get": openapi.operation("A stored game", Game, path=OneGame, problems=[404])
    },
    "/api/v1/openings": {
        "get": openapi.operation(
            "The moves that followed in stored games",
            Openings,
            query=OpeningParameters,
            description=f"Counts the latest {MOST_COUNTED:,} games on the board that began with "
            "the empty board. Wins and losses are results of the player to move.",
        )
    },
}
