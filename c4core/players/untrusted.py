"""Checking what players of untrusted descriptions cost, by the limits of ``costs``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from c4core.players.costs import FREE, MOST_SECONDS
from c4core.players.errors import PlayerCostError

if TYPE_CHECKING:
    from c4core.players.parameters import Parameter
    from c4core.players.player import PlayerKind, PlayerSpec


def memory_of(spec: PlayerSpec) -> int:
    """The bytes that a move of a player may take because of its parameters."""
    return sum(parameter.cost.memory_of(value) for parameter, value in _costly(spec))


def check_costs(spec: PlayerSpec) -> None:
    """Check that a player is within the limits for untrusted descriptions.

    Raises:
        PlayerCostError: a parameter's value costs too much.
    """
    costly = _costly(spec)
    for parameter, value in costly:
        if value > parameter.cost.most_by_memory:
            size = parameter.cost.memory_of(value) / 1e6
            raise _error(spec.kind, parameter, value, f"takes {size:,.0f} MB for a move")
    timed = [pair for pair in costly if pair[0].cost.seconds]
    if timed and all(value > parameter.cost.most_by_time for parameter, value in timed):
        parameter, value = min(timed, key=lambda pair: pair[0].cost.time_of(pair[1]))
        why = f"may take more than {MOST_SECONDS / 60:g} minutes for a move"
        raise _error(spec.kind, parameter, value, why)


def most_untrusted(kind: PlayerKind, parameter: Parameter) -> float:
    """The largest value of a parameter in untrusted descriptions; infinity without a limit.

    If another parameter can limit the time as well, the time of this one has no limit of its own.
    """
    is_alone = sum(bool(each.cost.seconds) for each in kind.parameters) == 1
    cost = parameter.cost
    return min(cost.most_by_memory, cost.most_by_time if is_alone else math.inf)


def _costly(spec: PlayerSpec) -> list[tuple[Parameter, float]]:
    """The parameters that cost something, with their values."""
    if spec.kind.argument is not None:
        return []
    return [
        (parameter, value)
        for parameter, value in zip(spec.kind.parameters, spec.values, strict=True)
        if parameter.cost != FREE and isinstance(value, int | float)
    ]


def _error(kind: PlayerKind, parameter: Parameter, value: float, why: str) -> PlayerCostError:
    most = min(parameter.cost.most_by_memory, parameter.cost.most_by_time)
    return PlayerCostError(
        f"player {kind.name}: {parameter.name}={value} {why}, and the limit is {most:.0f}: give a "
        "smaller value, or play it yourself with c4 match or c4 play; others play it only with "
        "--allow-programs",
        player=kind.name,
        parameter=parameter.name,
    )
