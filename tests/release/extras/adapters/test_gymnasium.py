"""Connect Four against a player as a Gymnasium environment, tested with Gymnasium's checker."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from c4core.adapters.gymnasium import NAME, ConnectFourEnv
from c4core.errors import BoardError
from c4core.players import PlayerError, ProgramRefusedError


def rollout(env: gymnasium.Env, *, seed: int, opens: int = 0) -> tuple[list[float], dict[str, Any]]:
    """Play the lowest open columns, or others; return the rewards and the last info."""
    observation, info = env.reset(seed=seed)
    rewards, over = [], False
    while not over:
        columns = np.flatnonzero(observation["action_mask"])
        action = int(columns[opens % len(columns)])
        observation, reward, over, cut, info = env.step(action)
        assert not cut
        assert observation in env.observation_space
        rewards.append(reward)
    assert not observation["action_mask"].any()
    return rewards, info


def test_environments_by_their_name_pass_the_checker() -> None:
    options: list[dict[str, Any]] = [
        {},
        {"opponent": "minimax-windows", "width": 5, "height": 4},
        {"opponent": "perfect", "width": 4, "height": 4, "side": "o"},
        {"side": "x", "render_mode": "ansi"},
        {"width": 12, "height": 4},
    ]
    for each in options:
        check_env(gymnasium.make(f"c4core.adapters.gymnasium:{NAME}", **each).unwrapped)


def test_rewards_and_moves() -> None:
    env = ConnectFourEnv("stupid", side="x")  # it plays the leftmost open column
    observation, info = env.reset(seed=1)
    assert info == {"moves": "", "side": "x", "illegal": False}
    for _ in range(3):
        observation, reward, over, _, info = env.step(3)
        assert (reward, over) == (0.0, False)
    assert observation["observation"][:, 3, 0].tolist() == [0, 0, 0, 1, 1, 1]
    assert observation["observation"][:, 0, 1].tolist() == [0, 0, 0, 1, 1, 1]
    _, reward, over, _, info = env.step(3)
    assert (reward, over, info["moves"]) == (1.0, True, "4141414")
    assert env.action_masks().tolist() == [False] * 7


def test_a_loss() -> None:
    env = ConnectFourEnv("perfect", side="x", width=4, height=4)
    wins = ConnectFourEnv("perfect", side="o", width=6, height=4)
    assert {rollout(env, seed=seed, opens=seed)[0][-1] for seed in range(6)} <= {0.0, -1.0}
    assert -1.0 in {rollout(wins, seed=seed, opens=seed)[0][-1] for seed in range(6)}


def test_an_illegal_column_loses() -> None:
    env = ConnectFourEnv("stupid", side="x")
    env.reset(seed=1)
    for column in (0, 0, 0):
        env.step(column)
    observation, reward, over, _, info = env.step(0)
    assert (reward, over, info["illegal"]) == (-1.0, True, True)
    assert not observation["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)


def test_a_seed_repeats_games() -> None:
    games = [rollout(ConnectFourEnv("random"), seed=seed)[1] for seed in (3, 3, 4, 5, 6)]
    assert games[0] == games[1]
    assert len({game["moves"] for game in games}) > 2
    assert {game["side"] for game in games} == {"x", "o"}


def test_bad_arguments_are_refused() -> None:
    for options, kind in (
        ({"opponent": "nobody"}, PlayerError),
        ({"opponent": "exec:ls"}, ProgramRefusedError),
        ({"width": 40}, BoardError),
        ({"side": "z"}, ValueError),
        ({"render_mode": "human"}, ValueError),
    ):
        with pytest.raises(kind):
            ConnectFourEnv(**options)
    env = ConnectFourEnv()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
    env.reset(seed=1)
    for action in (7, -1, 1.5, None):
        with pytest.raises(gymnasium.error.InvalidAction):
            env.step(action)
