"""Players for observations of PettingZoo's ``connect_four_v3``, and of the environments here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from c4core.adapters.mover import Mover
from c4core.adapters.planes import decode

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from c4core.players import Resources


def make_policy(
    player: str,
    *,
    seed: int | None = None,
    seconds: float | None = None,
    resources: Resources | None = None,
) -> Callable[[Mapping[str, Any] | NDArray[Any]], int]:
    """A player as a function from observations to actions.

    The function gets what the side to move observes: the array of planes, or the dictionary that
    has it as ``observation``. It returns a 0-based column. It raises
    :class:`c4core.adapters.errors.AdapterError` where there is no such position, and
    :class:`c4core.players.PlayerFailure` where the player has no move.

    Args:
        player: its description, or the name of a level.
        seed: of everything random; None for another one each time.
        seconds: for a move; None for no limit.
        resources: as of :class:`c4core.adapters.mover.Mover`.

    Raises:
        PlayerError: there is no such player, or it may not be started.
    """
    mover = Mover(player, seed=seed, seconds=seconds, resources=resources)

    def policy(observation: Mapping[str, Any] | NDArray[Any]) -> int:
        given = observation["observation"] if isinstance(observation, Mapping) else observation
        return mover.choose(decode(given))

    return policy
