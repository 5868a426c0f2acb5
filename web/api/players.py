"""The available players, and a move by any of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypedDict, cast

from msgspec import UNSET, Meta
from starlette.routing import Route

from c4core.extras import LEARN, require
from c4core.models.players import LearningPlayer
from c4core.notation import column_label
from c4core.players import (
    LEVELS,
    Parameter,
    PlayerError,
    PlayerFailure,
    Stop,
    StopPlaying,
    parse_player,
    player_kinds,
)
from c4core.players.errors import is_exhaustion
from c4core.players.parameters import Digits, FileName, Real, Switch, Whole, Word
from web import openapi, parameters
from web.bodies import read_object
from web.parameters import Column, OfPosition, Parameters, seconds_from
from web.responses import ApiError, hidden, json_response
from web.service import service_of
from workers.match.table import ChosenMove, choose_move, read_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from c4core.players import Consent, PlayerKind
    from c4core.players.registry import Level
    from c4core.position import Position
    from workers.answers.service import SearchStop

LONGEST_DESCRIPTION: Final = 500
LARGEST_SEED: Final = (1 << 53) - 1
"""The largest integer that JavaScript represents exactly."""
SECONDS: Final = 2.0
"""Default time for a move."""
LONGEST_MESSAGE: Final = 500
"""Maximum length of the message about a player's failure."""
SHORTEST: Final = 0.01
"""The shortest time for a move in seconds."""

Player = Annotated[
    str, Meta(max_length=LONGEST_DESCRIPTION, description="The player.", examples=["perfect"])
]
Seconds = Annotated[float, seconds_from(SHORTEST)]
Seed = Annotated[
    int, Meta(ge=0, le=LARGEST_SEED, description="Seed of random choices.", examples=[1])
]


async def ask_player(
    request: Request, position: Position, player: str, *, seed: int, seconds: float
) -> ChosenMove:
    """A player's move, chosen in a thread; choosing stops if the client disconnects."""
    service = service_of(request)
    programs = service.settings.programs
    # In a thread: a description may name a file, and the first call imports all players.
    spec = await service.in_thread(partial(read_player, player, programs=programs))

    def choose(search_stop: SearchStop) -> ChosenMove:
        stop = Stop()
        with search_stop.calling(stop.set):
            return choose_move(
                position,
                spec,
                service=service.answer_service,
                database=service.database,
                seed=seed,
                seconds=seconds,
                programs=programs,
                stop=stop,
            )

    async with service.search_slot(request):
        return await service.until_disconnected(request, partial(_answered, choose))


def _answered(choose: Callable[[SearchStop], ChosenMove], search_stop: SearchStop) -> ChosenMove:
    """The player's move; raise its failure as an :class:`ApiError`."""
    try:
        return choose(search_stop)
    except PlayerFailure as failure:
        message = f"the player failed ({failure.failing}): {failure}"
        raise ApiError(422, message[:LONGEST_MESSAGE], "player") from None
    except StopPlaying:  # not an Exception, so it would end the event loop
        raise ApiError(503, "the player was stopped") from None
    except Exception as error:
        if is_exhaustion(error):
            raise hidden("the server ran out of memory, files or processes", error) from error
        raise


class MoveParameters(OfPosition):
    """A position and a player."""

    player: Player = "perfect"
    seed: Seed = 0
    seconds: Seconds = SECONDS


class PlayerParameter(TypedDict):
    """A parameter of a player. Descriptions spell true, false and null as on, off and none."""

    name: str
    type: Literal["whole", "number", "flag", "choice", "digits", "file", "text"]
    low: float | None
    high: float | None
    choices: list[str] | None
    default: float | str | bool | None
    required: bool
    optional: Annotated[bool, Meta(description="Whether `none` is allowed.")]
    summary: str


class PlayerFacts(TypedDict):
    """A player or a level."""

    name: str
    stands_for: Annotated[
        str | None, Meta(description="The player of a level, with every parameter; else null.")
    ]
    summary: str
    source: str | None
    argument: Annotated[
        str | None,
        Meta(description="Name of the text after the colon, if it replaces the parameters."),
    ]
    parameters: list[PlayerParameter]
    program: bool
    boards: list[str] | None
    available: bool
    reason: str | None


class Move(TypedDict):
    """A player's move."""

    column: Column
    moves: str | None
    player: str
    seconds: float
    proven: Annotated[
        bool | None,
        Meta(
            description="Whether it is proven that no column has a better result; null for a "
            "player that does not play by scores."
        ),
    ]
    bounds: Annotated[
        list[int] | None,
        Meta(description="Proven bounds of the column's score, for the side that moves; or null."),
    ]


async def list_players(request: Request) -> Response:
    """All players and levels."""
    parameters.read_query(request, Parameters)
    service = service_of(request)
    # In a thread: the first call imports all players.
    return json_response(await service.in_thread(_all_players, service.settings.programs))


async def post_move(request: Request) -> Response:
    """The move of a player in a position."""
    parameters.read_query(request, Parameters)
    values = await read_object(request, MoveParameters)
    asked = values.read()
    if asked.position.is_over:
        raise ApiError(400, "the game is over", None if values.moves is UNSET else "moves")
    move = await ask_player(
        request, asked.position, values.player, seed=values.seed, seconds=values.seconds
    )
    label = column_label(move.column)
    shown: Move = {
        "column": move.column + 1,
        "moves": None if asked.moves is None else asked.moves + label,
        "player": move.player,
        "seconds": round(move.seconds, 6),
        "proven": move.is_proven,
        "bounds": None if move.bounds is None else list(move.bounds),
    }
    return json_response(shown)


def _all_players(programs: Consent) -> list[PlayerFacts]:
    levels = [_level_object(name, level) for name, level in LEVELS.items()]
    return [*levels, *(_player_object(kind, programs) for kind in player_kinds())]


def _level_object(name: str, level: Level) -> PlayerFacts:
    """A level: a name for a player, without parameters."""
    return {
        "name": name,
        "stands_for": parse_player(level.player, checked=False).full,
        "summary": level.about,
        "source": None,
        "argument": None,
        "parameters": [],
        "program": False,
        "boards": None,
        "available": True,
        "reason": None,
    }


def _player_object(kind: PlayerKind, programs: Consent) -> PlayerFacts:
    reason = _missing(kind, programs)
    return {
        "name": kind.name,
        "stands_for": None,
        "summary": kind.summary,
        "source": kind.source,
        "argument": kind.argument,
        "parameters": [_parameter_object(parameter) for parameter in kind.parameters],
        "program": kind.cls.is_program,
        "boards": None,  # any board; but a trained network plays on its own board only
        "available": reason is None,
        "reason": reason,
    }


def _missing(kind: PlayerKind, programs: Consent) -> str | None:
    """The reason why a player is not available, for people; None if it is."""
    if issubclass(kind.cls, LearningPlayer) and kind.cls.with_pytorch:
        try:
            require(LEARN, partial(PlayerError, player=kind.name))
        except PlayerError as error:
            return str(error)
    if kind.cls.is_program and not (programs.everything or programs.descriptions):
        return "it is a program: start the server with --allow-programs to use it"
    defaults = {parameter.name: parameter.default for parameter in kind.parameters}
    comes_with_c4 = kind.argument is None and kind.cls.is_shipped(defaults)
    needs_consent = kind.cls.reads_files and not kind.cls.is_program and not comes_with_c4
    if needs_consent and not programs.everything:
        return "it reads a file of the server: start the server with --allow-programs to use it"
    return None


def _parameter_object(parameter: Parameter) -> PlayerParameter:
    values = parameter.values
    shown: dict[str, Any] = {"name": parameter.name, "type": "text"}
    shown |= {"low": None, "high": None, "choices": None}
    if isinstance(values, Whole | Real):
        kind = "whole" if isinstance(values, Whole) else "number"
        shown |= {"type": kind, "low": values.low, "high": values.high}
    elif isinstance(values, Switch):
        shown |= {"type": "flag", "choices": ["on", "off"]}
    elif isinstance(values, Word):
        shown |= {"type": "choice", "choices": list(values.words)}
    elif isinstance(values, Digits):
        shown |= {"type": "digits", "choices": list(values.digits)}
    elif isinstance(values, FileName):
        shown |= {"type": "file"}
    shown |= {
        "default": None if parameter.is_required else parameter.default,
        "required": parameter.is_required,
        "optional": parameter.is_optional,
        "summary": parameter.about,
    }
    return cast("PlayerParameter", shown)


ROUTES: Final = [
    Route("/api/v1/players", list_players),
    Route("/api/v1/move", post_move, methods=["POST"]),
]

PATHS: Final[dict[str, object]] = {
    "/api/v1/players": {
        "get": openapi.operation("All players", list[PlayerFacts], description="Levels first.")
    },
    "/api/v1/move": {
        "post": openapi.operation(
            "A move by a player",
            Move,
            body=openapi.content(
                MoveParameters,
                example={"moves": "4453", "player": "minimax-windows:depth=4", "seed": 1},
            ),
            problems=[422, 501],
            description="The same seed gives the same move, except from players whose choice "
            "depends on time. Only the scores that were found are stored.",
        )
    },
}
