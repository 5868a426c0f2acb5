"""Any player as an agent over HTTP, for Kaggle's ConnectX or for a simpler protocol.

Kaggle sends the observation and the configuration of an agent, and expects a column. Other programs
send ``{"board": rows, "current_player": 1, "valid_moves": columns}``. Other fields, such as
``environment``, are ignored. :mod:`c4core.adapters.kaggle` reads both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, TypedDict

from msgspec import Meta
from starlette.routing import Route

from c4core.adapters import kaggle
from c4core.adapters.mover import AdapterError
from c4core.notation import DEFAULT_BOARD, MAX_HEIGHT, MAX_WIDTH
from web import openapi, parameters
from web.api.players import SHORTEST, Player, Seconds, Seed, ask_player
from web.bodies import read_object
from web.parameters import Parameters
from web.responses import ApiError, json_response
from web.service import service_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response


class AgentParameters(Parameters):
    """The player."""

    player: Player = "perfect"
    seed: Seed = 0
    seconds: Annotated[
        Seconds | None,
        Meta(
            description="Seconds for the move; by default 80 % of `actTimeout` at `/kaggle`, and "
            "the server's limit at `/agent`.",
            examples=[1],
        ),
    ] = None


ColumnIndex = Annotated[int, Meta(ge=0, le=MAX_WIDTH - 1)]


class Action(TypedDict):
    """An agent's action: a column, counted from 0."""

    action: ColumnIndex


async def post_action(request: Request) -> Response:
    """The column that a player chooses for an agent's observation."""
    limits = service_of(request).settings.limits
    asked = parameters.read_query(request, AgentParameters)
    # Kaggle's client does not send a Content-Type.
    body = await read_object(request, limits, any_type=True)
    if "action" in body:
        parameters.choice(body["action"], "action", ("act",))
    configuration = _inner(body, "configuration") if "configuration" in body else {}
    observation = _inner(_inner(body, "state"), "observation")
    try:
        position = kaggle.read_position(observation, kaggle.read_board(configuration))
        allowed = kaggle.SHARE * kaggle.read_seconds(configuration)
    except AdapterError as error:
        raise ApiError(400, str(error), error.field) from None
    del body, configuration, observation  # may be large
    seconds = asked.seconds
    if seconds is None:
        seconds = max(SHORTEST, min(allowed, limits.budget_seconds))
    move = await ask_player(request, position, asked.player, seed=asked.seed, seconds=seconds)
    action: Action = {"action": move.column}
    return json_response(action)


class ChosenColumn(TypedDict):
    """A column, counted from 0."""

    column: ColumnIndex


async def post_agent(request: Request) -> Response:
    """The column that a player chooses on a board."""
    limits = service_of(request).settings.limits
    asked = parameters.read_query(request, AgentParameters)
    body = await read_object(request, limits, any_type=True)
    try:
        position = kaggle.read_turn(body)
    except AdapterError as error:
        raise ApiError(400, str(error), error.field) from None
    seconds = limits.budget_seconds if asked.seconds is None else asked.seconds
    move = await ask_player(request, position, asked.player, seed=asked.seed, seconds=seconds)
    chosen: ChosenColumn = {"column": move.column}
    return json_response(chosen)


def _inner(values: Mapping[str, object], name: str) -> dict[str, object]:
    """The object in a field of an object."""
    inner = values.get(name)
    if not isinstance(inner, dict):
        raise ApiError(400, f"{name} must be an object", name)
    return inner


ROUTES: Final = [
    Route("/kaggle", post_action, methods=["POST"]),
    Route("/agent", post_agent, methods=["POST"]),
]

_BODY: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["state"],
    "properties": {
        "action": {"const": "act"},
        "configuration": {
            "type": "object",
            "properties": {
                "columns": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_WIDTH,
                    "default": DEFAULT_BOARD.width,
                },
                "rows": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_HEIGHT,
                    "default": DEFAULT_BOARD.height,
                },
                "inarow": {"const": kaggle.IN_A_ROW},
                "actTimeout": {"type": "number", "minimum": 0, "maximum": kaggle.LONGEST_ACT},
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
                            "description": "columns * rows cells, top row first.",
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
"""The schema of the body; ``c4core.adapters.kaggle`` reads it."""

_TURN: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["board"],
    "properties": {
        "board": {
            "type": "array",
            "items": {"type": "array", "items": {"enum": [0, 1, 2, -1]}},
            "description": "Rows, the top row first.",
        },
        "current_player": {"enum": [1, 2, -1], "description": "The side to move."},
        "valid_moves": {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": MAX_WIDTH - 1},
            "description": "The columns that can be played, counted from 0.",
        },
    },
    "example": {
        "board": [[0] * 7] * 5 + [[0, 0, 0, 1, 0, 0, 0]],
        "current_player": 2,
        "valid_moves": list(range(7)),
    },
}

PATHS: Final[dict[str, object]] = {
    "/kaggle": {
        "post": openapi.operation(
            "A ConnectX agent's action",
            Action,
            query=AgentParameters,
            body=_BODY,
            problems=[422, 501],
            description="Columns count from 0. A body without a Content-Type is read as JSON.",
        )
    },
    "/agent": {
        "post": openapi.operation(
            "A player's column for a board",
            ChosenColumn,
            query=AgentParameters,
            body=_TURN,
            problems=[422, 501],
            description="Columns count from 0. A body without a Content-Type is read as JSON.",
        )
    },
}
