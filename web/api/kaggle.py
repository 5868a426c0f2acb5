"""Any player as an agent over HTTP, for Kaggle's ConnectX or for a simpler protocol.

Kaggle sends the observation and the configuration of an agent, and expects a column. Other programs
send ``{"board": rows, "current_player": 1, "valid_moves": columns}``. Other fields, such as
``environment``, are ignored. :mod:`c4core.adapters.kaggle` reads both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypedDict

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins
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


class Observation(Struct, omit_defaults=True):
    """The board that an agent sees; other fields are ignored."""

    board: Annotated[
        list[Annotated[int, Meta(ge=0, le=2)]],
        Meta(description="columns * rows cells, top row first."),
    ]
    mark: Annotated[int | UnsetType, Meta(extra_json_schema={"enum": [1, 2]})] = UNSET


class State(Struct):
    """The state of an agent; other fields are ignored."""

    observation: Observation


class Configuration(Struct, frozen=True, rename={"act_timeout": "actTimeout"}):
    """The settings of a game; other fields are ignored."""

    columns: Annotated[int, Meta(ge=1, le=MAX_WIDTH)] = DEFAULT_BOARD.width
    rows: Annotated[int, Meta(ge=1, le=MAX_HEIGHT)] = DEFAULT_BOARD.height
    inarow: Annotated[int, Meta(extra_json_schema={"const": kaggle.IN_A_ROW})] = kaggle.IN_A_ROW
    act_timeout: Annotated[float, Meta(ge=0, le=kaggle.LONGEST_ACT)] = kaggle.ACT_TIMEOUT


class Act(Struct):
    """Kaggle's request for an action; other fields are ignored."""

    state: State
    configuration: Configuration = Configuration()
    action: Literal["act"] = "act"


async def post_action(request: Request) -> Response:
    """The column that a player chooses for an agent's observation."""
    limits = service_of(request).settings.limits
    asked = parameters.read_query(request, AgentParameters)
    # Kaggle's client does not send a Content-Type.
    body = await read_object(request, Act, any_type=True)
    configuration = to_builtins(body.configuration)
    try:
        board = kaggle.read_board(configuration)
        position = kaggle.read_position(to_builtins(body.state.observation), board)
        allowed = kaggle.SHARE * kaggle.read_seconds(configuration)
    except AdapterError as error:
        raise ApiError(400, str(error), error.field) from None
    seconds = asked.seconds
    if seconds is None:
        seconds = max(SHORTEST, min(allowed, limits.budget_seconds))
    move = await ask_player(request, position, asked.player, seed=asked.seed, seconds=seconds)
    action: Action = {"action": move.column}
    return json_response(action)


class ChosenColumn(TypedDict):
    """A column, counted from 0."""

    column: ColumnIndex


class Turn(Struct):
    """A board; other fields are ignored."""

    board: Annotated[
        list[list[Annotated[int, Meta(ge=-1, le=2)]]],
        Meta(description="Rows, the top row first."),
    ]
    current_player: Annotated[
        int | UnsetType,
        Meta(description="The side to move.", extra_json_schema={"enum": [1, 2, -1]}),
    ] = UNSET
    valid_moves: Annotated[
        list[ColumnIndex] | UnsetType,
        Meta(description="The columns that can be played, counted from 0."),
    ] = UNSET


async def post_agent(request: Request) -> Response:
    """The column that a player chooses on a board."""
    limits = service_of(request).settings.limits
    asked = parameters.read_query(request, AgentParameters)
    body = await read_object(request, Turn, any_type=True)
    try:
        position = kaggle.read_turn(to_builtins(body))
    except AdapterError as error:
        raise ApiError(400, str(error), error.field) from None
    seconds = limits.budget_seconds if asked.seconds is None else asked.seconds
    move = await ask_player(request, position, asked.player, seed=asked.seed, seconds=seconds)
    chosen: ChosenColumn = {"column": move.column}
    return json_response(chosen)


ROUTES: Final = [
    Route("/kaggle", post_action, methods=["POST"]),
    Route("/agent", post_agent, methods=["POST"]),
]

_ACT: Final = {
    "action": "act",
    "configuration": {"columns": 7, "rows": 6, "inarow": 4, "actTimeout": 2},
    "state": {"observation": {"board": [0] * 38 + [1] + [0] * 3, "mark": 2}},
}
_TURN: Final = {
    "board": [[0] * 7] * 5 + [[0, 0, 0, 1, 0, 0, 0]],
    "current_player": 2,
    "valid_moves": list(range(7)),
}

PATHS: Final[dict[str, object]] = {
    "/kaggle": {
        "post": openapi.operation(
            "A ConnectX agent's action",
            Action,
            query=AgentParameters,
            body=openapi.content(Act, example=_ACT),
            problems=[422, 501],
            description="Columns count from 0. A body without a Content-Type is read as JSON.",
        )
    },
    "/agent": {
        "post": openapi.operation(
            "A player's column for a board",
            ChosenColumn,
            query=AgentParameters,
            body=openapi.content(Turn, example=_TURN),
            problems=[422, 501],
            description="Columns count from 0. A body without a Content-Type is read as JSON.",
        )
    },
}
