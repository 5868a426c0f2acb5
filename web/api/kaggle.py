"""Any player as an agent of Kaggle's ConnectX, by its address.

Kaggle sends what its agents get, the observation and the configuration, and wants a column. There
columns count from 0, the board is a flat list with the top row first, and mark 1 moves first. What
is not read here (``environment``, other settings) is ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.routing import Route

from c4core.errors import BoardError, GridError
from c4core.notation import DEFAULT_BOARD, check_board
from c4core.position import Position
from web import parameters
from web.description.words import NUMBER, TEXT, operation, query, record, whole_between
from web.errors import ApiError
from web.playing import LARGEST_SEED, LONGEST_DESCRIPTION, SHORTEST, ask_player
from web.responses import json_response
from web.service import service_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

    from c4core.notation import BoardSize
    from c4core.position import Side

STONES: Final = (".", "x", "o")
"""What 0, 1 and 2 stand for in a grid."""
SIDES: Final[dict[int, Side]] = {1: "x", 2: "o"}
"""Who moves, by the mark."""
IN_A_ROW: Final = 4
ACT_TIMEOUT: Final = 2.0
"""Seconds for a move where the configuration does not say it."""
SHARE: Final = 0.8
"""How much of its time for a move the player gets: the answer has to travel."""
LONGEST_ACT: Final = 1e9
LONGEST_SIDE: Final = 1_000
"""Numbers beyond this are not quoted as sizes of a board."""


async def post_action(request: Request) -> Response:
    """The column that a player chooses for an agent's observation."""
    limits = service_of(request).settings.limits
    values = parameters.read_query(request, {"player", "seed", "seconds"})
    player = parameters.text(values, "player", "perfect", longest=LONGEST_DESCRIPTION)
    seed = parameters.whole(values, "seed", 0, 0, LARGEST_SEED)
    # Kaggle's own client does not say of which type the body is.
    body = await parameters.read_object(request, limit=limits.body_bytes, any_type=True)
    parameters.choice(body, "action", "act", ("act",))
    configuration = _inner(body, "configuration") if "configuration" in body else {}
    board = _read_size(configuration)
    position = _read_position(_inner(_inner(body, "state"), "observation"), board)
    given = parameters.number(configuration, "actTimeout", ACT_TIMEOUT, 0, LONGEST_ACT)
    allowed = max(SHORTEST, min(SHARE * given, limits.budget_seconds))
    seconds = parameters.number(values, "seconds", allowed, SHORTEST, limits.budget_seconds)
    move = await ask_player(request, position, player, seed=seed, seconds=seconds)
    return json_response({"action": move.column})


def _inner(values: Mapping[str, object], name: str) -> dict[str, object]:
    """An object within an object."""
    inner = values.get(name)
    if not isinstance(inner, dict):
        raise ApiError(400, f"{name} must be an object", name)
    return inner


def _read_size(configuration: Mapping[str, object]) -> BoardSize:
    in_a_row = parameters.whole(configuration, "inarow", IN_A_ROW, 1, LONGEST_SIDE)
    if in_a_row != IN_A_ROW:
        raise ApiError(400, f"only four in a row is played here, not {in_a_row}", "inarow")
    width, height = (
        parameters.whole(configuration, name, default, 1, LONGEST_SIDE)
        for name, default in zip(("columns", "rows"), DEFAULT_BOARD, strict=True)
    )
    try:
        return check_board(width, height)
    except BoardError as error:
        raise ApiError(400, str(error), "configuration") from None


def _read_position(observation: Mapping[str, object], board: BoardSize) -> Position:
    cells, width = observation.get("board"), board.width
    if not isinstance(cells, list) or len(cells) != board.cells:
        raise ApiError(400, f"board must be a list of {board.cells} numbers", "board")
    for place, cell in enumerate(cells):
        if type(cell) is not int or cell not in range(len(STONES)):  # True is no 1 here
            raise ApiError(400, f"board[{place}] must be 0, 1 or 2", "board")
    rows = [cells[first : first + width] for first in range(0, len(cells), width)]
    try:
        position = Position.from_grid(
            "\n".join("".join(STONES[cell] for cell in row) for row in rows)
        )
    except GridError as error:
        raise ApiError(400, str(error), "board") from None
    if position.is_over:
        raise ApiError(400, "the game is over", "board")
    mark = parameters.whole(observation, "mark", None, 1, 2)
    if mark is not None and SIDES[mark] != position.turn:
        raise ApiError(400, f"mark {mark} is not to move on this board", "mark")
    return position


ROUTES: Final = [Route("/kaggle", post_action, methods=["POST"])]

_BODY: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["state"],
    "properties": {
        "action": {"const": "act"},
        "configuration": {
            "type": "object",
            "properties": {
                "columns": whole_between(1, 32, DEFAULT_BOARD.width),
                "rows": whole_between(1, 19, DEFAULT_BOARD.height),
                "inarow": {"const": IN_A_ROW},
                "actTimeout": {"type": "number", "minimum": 0, "maximum": LONGEST_ACT},
            },
        },
        "state": {
            "type": "object",
            "required": ["observation"],
            "properties": {
                "observation": {
                    "type": "object",
                    "required": ["board"],
                    "properties": {
                        "board": {
                            "type": "array",
                            "items": {"enum": [0, 1, 2]},
                            "description": "columns * rows cells, the top row first.",
                        },
                        "mark": {"enum": [1, 2]},
                    },
                }
            },
        },
    },
    "example": {
        "action": "act",
        "configuration": {"columns": 7, "rows": 6, "inarow": 4, "actTimeout": 2},
        "state": {"observation": {"board": [0] * 38 + [1] + [0] * 3, "mark": 2}},
    },
}
PATHS: Final[dict[str, object]] = {
    "/kaggle": {
        "post": operation(
            "A ConnectX agent's action",
            record({"action": {"type": "integer", "minimum": 0, "maximum": 31}}),
            parameters=[
                query(
                    "player",
                    TEXT | {"maxLength": LONGEST_DESCRIPTION, "default": "perfect"},
                    "Who plays, as POST /api/v1/move takes it.",
                    example="perfect",
                ),
                query("seed", whole_between(0, LARGEST_SEED, 0), "Of what is random.", example=1),
                query(
                    "seconds",
                    NUMBER | {"minimum": SHORTEST, "maximum": 30},
                    "For the move; by default four fifths of `actTimeout`.",
                    example=1,
                ),
            ],
            body=_BODY,
            problems=[422, 501],
            description="Columns count from 0. A body without a Content-Type is taken for JSON.",
        )
    }
}
