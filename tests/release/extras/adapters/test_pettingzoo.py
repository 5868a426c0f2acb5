"""Connect Four on any board for PettingZoo, under its tests, and players in its environment."""

import pickle
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo import AECEnv

from c4core.adapters.pettingzoo import NAME, env, raw_env
from c4core.adapters.planes import make_policy
from c4core.errors import BoardError, MoveError
from c4core.position import Position

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # its tests import from their old location
    from pettingzoo.test import api_test, seed_test

BOARDS = [(7, 6), (5, 4), (4, 7), (12, 4)]
RECOMMENDED = [
    "Observation is not a NumPy array",
    "Observation numpy array is all zeros",
    "Observation space for each agent probably should be",
]
"""Wrappers recommended for all environments except a few, including its own Connect Four."""


@pytest.mark.parametrize(("width", "height"), BOARDS)
def test_api_and_seeds(width: int, height: int) -> None:
    with warnings.catch_warnings():
        for message in RECOMMENDED:
            warnings.filterwarnings("ignore", message)
        api_test(env(width=width, height=height), num_cycles=200)
    seed_test(lambda: env(width=width, height=height), num_cycles=50)


def played(environment: AECEnv, policies: dict[str, Any]) -> dict[str, float]:
    """Play a game; return its rewards."""
    rewards: dict[str, float] = {}
    environment.reset(seed=1)
    for agent in environment.agent_iter():
        observation, reward, over, _, _ = environment.last()
        if over:
            rewards[agent] = reward
        environment.step(None if over else policies[agent](observation))
    return rewards


def test_players_in_pettingzoos_own_environment() -> None:
    theirs = pettingzoo.make("aec", "classic/connect_four_v3")
    policies = {"player_0": make_policy("stupid"), "player_1": make_policy("set", seed=3)}
    assert played(theirs, policies) == {"player_0": -1, "player_1": 1}
    policies = {"player_0": make_policy("medium", seed=1), "player_1": make_policy("stupid")}
    assert played(theirs, policies) == {"player_0": 1, "player_1": -1}


def test_both_environments_show_the_same() -> None:
    ours, theirs = env(), pettingzoo.make("aec", "classic/connect_four_v3")
    for seed in range(10):
        policy = make_policy("random", seed=seed)
        ours.reset()
        theirs.reset()
        assert ours.agents == theirs.agents
        for agent in ours.agent_iter():
            assert agent == theirs.agent_selection
            mine, other = ours.last(), theirs.last()
            for name in ("observation", "action_mask"):
                assert mine[0][name].dtype == other[0][name].dtype
                # When a game is over, its own environment keeps showing open columns.
                is_different = mine[2] and name == "action_mask"
                assert is_different or (mine[0][name] == other[0][name]).all()
            assert mine[1:4] == other[1:4]
            action = None if mine[2] else policy(mine[0])
            ours.step(action)
            theirs.step(action)
        assert theirs.agents == []


def test_the_registry() -> None:
    made = pettingzoo.make("aec", NAME, width=9, height=6, render_mode="ansi")
    made.reset()
    made.step(8)
    assert made.render() == str(Position("9", board="9x6"))
    assert made.observation_space("player_0")["observation"].shape == (6, 9, 2)


def test_an_illegal_column_loses() -> None:
    environment = env(width=4, height=4)
    environment.reset()
    for _ in range(4):
        environment.step(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        environment.step(0)
    assert environment.rewards["player_0"] == -1
    assert all(environment.terminations.values())


def test_a_copy_by_pickle() -> None:
    environment = pickle.loads(pickle.dumps(raw_env(width=5, height=4)))  # noqa: S301 (just made)
    environment.reset()
    assert environment.observe("player_0")["action_mask"].tolist() == [1] * 5


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(BoardError, match="impossible board 40x6"):
        env(width=40)
    with pytest.raises(ValueError, match="render_mode"):
        env(render_mode="human")
    environment = raw_env(width=4, height=4)
    environment.reset()
    for action in (-1, 4):
        with pytest.raises(MoveError):
            environment.step(np.int64(action))
