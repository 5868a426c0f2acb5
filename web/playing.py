"""A player's move for a request: in a thread, and no longer than the client waits for it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from c4core.players import PlayerFailure, Stop, StopPlaying
from c4core.players.errors import is_exhaustion
from c4core.players.registry import memory_of
from web.errors import ApiError, hidden
from web.receiving.memory_room import holding_of
from web.service import service_of
from workers.match.moving import ChosenMove, choose_move, read_player

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from c4core.players import Consent, PlayerSpec
    from c4core.position import Position
    from workers.answers.service import Stop as Wish

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
                service=service.desk,
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
