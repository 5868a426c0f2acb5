"""Kaggle's own ConnectX agents as players: ``python:c4core.adapters.kaggle_opponents:negamax``.

These players need the package ``kaggle-environments``.
"""

from __future__ import annotations

import random as global_random
from typing import TYPE_CHECKING

from kaggle_environments.envs.connectx.connectx import agents

from c4core.players.host import configuration_of, observation_of

if TYPE_CHECKING:
    from c4core.dice import Dice
    from c4core.players import Limits
    from c4core.position import Position

SEEDS = 1 << 31


def negamax(position: Position, dice: Dice, limits: Limits) -> int:
    """Kaggle's ``negamax``: searches four plies, then counts neighbouring stones."""
    return _ask("negamax", position, dice, limits)


def random(position: Position, dice: Dice, limits: Limits) -> int:
    """Kaggle's ``random``: any open column."""
    return _ask("random", position, dice, limits)


def _ask(name: str, position: Position, dice: Dice, limits: Limits) -> int:
    """Ask one of Kaggle's agents for a column. They draw from Python's global generator."""
    before = global_random.getstate()
    global_random.seed(dice.below(SEEDS))
    try:
        observation = observation_of(position)
        return int(agents[name](observation, configuration_of(position.board, limits.seconds)))
    finally:
        global_random.setstate(before)
