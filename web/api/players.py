"""Who can play, and a move by any of them."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, Final

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
    player_kinds,
)
from c4core.players.errors import is_exhaustion
from c4core.players.parameters import Digits, FileName, Real, Switch, Whole, Word
from c4core.players.untrusted import memory_of, most_untrusted
from web import openapi, parameters
from web.bodies import read_object
from web.parameters import POSITION, read_position
from web.responses import ApiError, hidden, json_response
from web.rooms import holding_of
from web.service import service_of
from workers.matches.moving import ChosenMove, choose_move, read_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from c4core.players import Consent, PlayerKind, PlayerSpec
    from c4core.position import Position
    from workers.positions.stop import Stop as Wish

LONGEST_DESCRIPTION: Final = 500
"""Characters of a player's description, at most."""
LARGEST_SEED: Final = (1 << 53) - 1
"""The largest whole number that JavaScript can count to."""
SECONDS: Final = 2.0
"""Time for a move by default."""
LONGEST_MESSAGE: Final = 500
"""Characters of what a player says of its failure, at most."""
SHORTEST: Final = 0.01
"""The least time for a move."""


async def ask_player(
    request: Request, position: Position, player: str, *, seed: int, seconds: float
) -> ChosenMove:
    """A player's move, chosen in a thread until the client goes away.

    Args:
        request: whose answer it is.
        position: not over.
        player: its description.
        seed: of what is random.
        seconds: that the move may take.

    Raises:
        ApiError: 400, there is no such player; 403, it may not be started here; 422, it has failed;
            429, the client searches enough already, or holds too much memory; 501, a package is
            missing; 503, this machine has run out of something.
    """
    service = service_of(request)
    programs = service.settings.programs
    # In a thread: a description may name a file, and the first one imports all players.
    spec = await service.in_thread(_read, player, programs)
    if not programs.covers(spec.full):
        holding_of(request.scope).take(memory_of(spec))

    def choose(wish: Wish) -> ChosenMove:
        stop = Stop()
        with wish.calling(stop.set):
            return choose_move(
                position,
                spec,
                desk=service.desk,
                database=service.database,
                seed=seed,
                seconds=seconds,
                programs=programs,
                stop=stop,
            )

    async with service.search_slot(request):
        return await service.until_disconnected(request, partial(_answered, choose))


def _read(player: str, programs: Consent) -> PlayerSpec:
    return read_player(player, programs=programs)


def _answered(choose: Callable[[Wish], ChosenMove], wish: Wish) -> ChosenMove:
    """A move, or the error that the client is told of."""
    try:
        return choose(wish)
    except PlayerFailure as failure:
        message = f"the player has failed ({failure.failing}): {failure}"
        raise ApiError(422, message[:LONGEST_MESSAGE], "player") from None
    except StopPlaying:  # no Exception: it would end the event loop
        raise ApiError(503, "the player was stopped") from None
    except Exception as error:
        if is_exhaustion(error):
            raise hidden("the server has run out of memory, files or processes", error) from error
        raise


MOVE: Final = POSITION | {"player", "seed", "seconds"}


async def list_players(request: Request) -> Response:
    """All players, and the levels that stand for some."""
    parameters.read_query(request, ())
    service = service_of(request)
    # In a thread: the first time all players are imported.
    return json_response(await service.in_thread(_all_players, service.settings.programs))


async def post_move(request: Request) -> Response:
    """A move that a player chooses."""
    limits = service_of(request).settings.limits
    parameters.read_query(request, ())
    values = await read_object(request, limits)
    parameters.only(values, MOVE)
    asked = read_position(values)
    if asked.position.is_over:
        raise ApiError(400, "the game is over", "moves" if "moves" in values else None)
    player = parameters.text(values, "player", "perfect", longest=LONGEST_DESCRIPTION)
    seed = parameters.whole(values, "seed", 0, 0, LARGEST_SEED)
    longest = limits.budget_seconds
    seconds = parameters.number(values, "seconds", min(SECONDS, longest), SHORTEST, longest)
    move = await ask_player(request, asked.position, player, seed=seed, seconds=seconds)
    label = column_label(move.column)
    return json_response(
        {
            "column": move.column + 1,
            "moves": None if asked.moves is None else asked.moves + label,
            "player": move.player,
            "seconds": round(move.seconds, 6),
        }
    )


def _all_players(programs: Consent) -> list[dict[str, Any]]:
    levels = [_level_object(name, player) for name, player in LEVELS.items()]
    return [*levels, *(_player_object(kind, programs) for kind in player_kinds())]


def _level_object(name: str, player: str) -> dict[str, Any]:
    """A level: a name for people, without parameters of its own."""
    return {
        "name": name,
        "stands_for": player,
        "summary": f"Stands for {player}.",
        "source": None,
        "argument": None,
        "parameters": [],
        "program": False,
        "boards": None,
        "available": True,
        "reason": None,
    }


def _player_object(kind: PlayerKind, programs: Consent) -> dict[str, Any]:
    reason = _missing(kind, programs)
    return {
        "name": kind.name,
        "stands_for": None,
        "summary": kind.summary,
        "source": kind.source,
        "argument": kind.argument,
        "parameters": [
            _parameter_object(parameter, _most(kind, parameter, programs))
            for parameter in kind.parameters
        ],
        "program": kind.cls.is_program,
        "boards": None,  # every one, but that a trained network plays on its own
        "available": reason is None,
        "reason": reason,
    }


def _missing(kind: PlayerKind, programs: Consent) -> str | None:
    """Why a player cannot play here, for people; None if it can."""
    if issubclass(kind.cls, LearningPlayer) and kind.cls.with_pytorch:
        try:
            require(LEARN, partial(PlayerError, player=kind.name))
        except PlayerError as error:
            return str(error)
    if kind.cls.is_program and not (programs.everything or programs.descriptions):
        return "it is a program, and started only with --allow-programs"
    defaults = {parameter.name: parameter.default for parameter in kind.parameters}
    comes_with_c4 = kind.argument is None and kind.cls.is_shipped(defaults)
    needs_consent = kind.cls.reads_files and not kind.cls.is_program and not comes_with_c4
    if needs_consent and not programs.everything:
        return "it reads a file of the server, and plays only with --allow-programs"
    return None


def _most(kind: PlayerKind, parameter: Parameter, programs: Consent) -> float:
    """The largest value that this server takes; infinity if only the player limits it."""
    return math.inf if programs.everything else most_untrusted(kind, parameter)


def _parameter_object(parameter: Parameter, most: float) -> dict[str, Any]:
    """A parameter. In descriptions true and false are written on and off, null is none."""
    values = parameter.values
    shown: dict[str, Any] = {"type": "text", "low": None, "high": None, "choices": None}
    if isinstance(values, Whole | Real):
        kind = "whole" if isinstance(values, Whole) else "number"
        shown |= {"type": kind, "low": values.low, "high": min(values.high, most)}
    elif isinstance(values, Switch):
        shown |= {"type": "flag", "choices": ["on", "off"]}
    elif isinstance(values, Word):
        shown |= {"type": "choice", "choices": list(values.words)}
    elif isinstance(values, Digits):
        shown |= {"type": "digits", "choices": list(values.digits)}
    elif isinstance(values, FileName):
        shown |= {"type": "file"}
    return {
        "name": parameter.name,
        **shown,
        "default": None if parameter.is_required else parameter.default,
        "required": parameter.is_required,
        "optional": parameter.is_optional,
        "summary": parameter.about,
    }


ROUTES: Final = [
    Route("/api/v1/players", list_players),
    Route("/api/v1/move", post_move, methods=["POST"]),
]

_SOME: Final = {"type": ["number", "string", "boolean", "null"]}
SCHEMAS: Final[dict[str, object]] = {
    "Player": openapi.record(
        {
            "name": openapi.TEXT,
            "stands_for": openapi.nullable(
                {"type": "string", "description": "Of a level: its player."}
            ),
            "summary": openapi.TEXT,
            "source": openapi.nullable(openapi.TEXT),
            "argument": openapi.nullable(
                {"type": "string", "description": "What follows the colon."}
            ),
            "parameters": openapi.array(
                openapi.record(
                    {
                        "name": openapi.TEXT,
                        "type": {
                            "enum": [
                                *("whole", "number", "flag", "choice", "digits", "file", "text")
                            ]
                        },
                        "low": openapi.nullable(openapi.NUMBER),
                        "high": openapi.nullable(openapi.NUMBER),
                        "choices": openapi.nullable(openapi.array(openapi.TEXT)),
                        "default": _SOME,
                        "required": openapi.FLAG,
                        "optional": {"type": "boolean", "description": "`none` is a value too."},
                        "summary": openapi.TEXT,
                    }
                )
            ),
            "program": openapi.FLAG,
            "boards": openapi.nullable(openapi.array(openapi.TEXT)),
            "available": openapi.FLAG,
            "reason": openapi.nullable(openapi.TEXT),
        }
    ),
    "Move": openapi.record(
        {
            "column": openapi.COLUMN,
            "moves": openapi.nullable(openapi.TEXT),
            "player": openapi.TEXT,
            "seconds": openapi.NUMBER,
        }
    ),
}
_ASKED: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "moves": openapi.MOVES,
        "board": openapi.BOARD,
        "key": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^[0-9]{1,20}$"}]},
        "grid": openapi.TEXT,
        "player": {"type": "string", "maxLength": LONGEST_DESCRIPTION, "default": "perfect"},
        "seed": openapi.whole_between(0, LARGEST_SEED, 0),
        "seconds": openapi.seconds_to_search(SHORTEST, SECONDS),
    },
    "additionalProperties": False,
    "example": {"moves": "4453", "player": "minimax-windows:depth=4", "seed": 1},
}
PATHS: Final[dict[str, object]] = {
    "/api/v1/players": {
        "get": openapi.operation(
            "Who can play", openapi.array(openapi.ref("Player")), description="Levels first."
        )
    },
    "/api/v1/move": {
        "post": openapi.operation(
            "A move by a player",
            openapi.ref("Move"),
            body=_ASKED,
            problems=[422, 501],
            description="The same seed gives the same move, except from players that go by the "
            "clock. Nothing is stored but the scores that were found.",
        )
    },
}
