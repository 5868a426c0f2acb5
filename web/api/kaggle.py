"""Any player as an agent over HTTP, for Kaggle's ConnectX.

Kaggle sends the observation and the configuration of an agent, and expects a column. Other fields,
such as ``environment``, are ignored.
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
            description="Seconds for the move; by default 80 % of `actTimeout`.",
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


ROUTES: Final = [
    Route("/kaggle", post_action, methods=["POST"]),
]

_ACT: Final = {
    "action": "act",
    "configuration": {"columns": 7, "rows": 6, "inarow": 4, "actTimeout": 2},
    "state": {"observation": {"board": [0] * 38 + [1] + [0] * 3, "mark": 2}},
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
    }
}
