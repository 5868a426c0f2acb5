"""Connect Four on any board, as a PettingZoo AEC environment.

Observations, actions and rewards are as in PettingZoo's ``connect_four_v3``, which is only for 7x6.
Importing this module registers ``C4/connect_four_v0``::

    import c4core.adapters.pettingzoo

    env = pettingzoo.make("aec", "C4/connect_four_v0", width=9, height=6)

:func:`c4core.adapters.planes.make_policy` turns a player into a policy for both environments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from gymnasium import spaces
from gymnasium.utils import EzPickle
from pettingzoo import AECEnv, aec_registry, register
from pettingzoo.utils import wrappers

from c4core.adapters.planes import PLANES, action_mask, encode
from c4core.notation import DEFAULT_BOARD, check_board
from c4core.position import Position

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.position import Side

NAME: Final = "C4/connect_four_v0"
SIDES: Final[dict[str, Side]] = {"player_0": "x", "player_1": "o"}
ILLEGAL_REWARD: Final = -1


def env(
    *,
    width: int = DEFAULT_BOARD.width,
    height: int = DEFAULT_BOARD.height,
    render_mode: str | None = None,
) -> AECEnv:
    """Make the environment with the usual wrappers. An agent that plays an illegal column loses.

    It takes the parameters of :class:`raw_env` and raises the same errors.
    """
    made: AECEnv = raw_env(width=width, height=height, render_mode=render_mode)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=ILLEGAL_REWARD)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv, EzPickle):  # noqa: N801  (PettingZoo's own name for it)
    """Two agents, ``player_0`` with ``x`` and ``player_1`` with ``o``.

    An observation is a dictionary with two arrays. ``observation`` is ``int8`` of the shape
    ``(rows, columns, 2)``, with the observing agent's stones in plane 0 and the top row first.
    ``action_mask`` is 1 for each column that can be played, and all 0 for the agent that is not to
    move. An action is a 0-based column. Rewards at the end are 1 and -1, or 0 for both.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["ansi"],
        "name": NAME,
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        *,
        width: int = DEFAULT_BOARD.width,
        height: int = DEFAULT_BOARD.height,
        render_mode: str | None = None,
    ) -> None:
        EzPickle.__init__(self, width=width, height=height, render_mode=render_mode)
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode must be 'ansi' or None, not {render_mode!r}")
        self._board = check_board(width, height)
        self.render_mode = render_mode
        self.possible_agents = list(SIDES)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (height, width, PLANES), np.int8),
                    "action_mask": spaces.Box(0, 1, (width,), np.int8),
                }
            )
            for agent in SIDES
        }
        self.action_spaces = {agent: spaces.Discrete(width) for agent in SIDES}

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Begin a game. The seed has no effect, because nothing is random."""
        self._position = Position(board=self._board)
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        mask = action_mask(self._position)
        if agent != self.agent_selection:
            mask[:] = 0
        return {"observation": encode(self._position, SIDES[agent]), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play a column for the selected agent, or remove the agent after the end of the game."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None  # noqa: S101  (the game goes on)
        self._position = self._position.play(int(action))
        other = next(name for name in self.agents if name != agent)
        if self._position.winner is not None:
            self.rewards = {agent: 1, other: -1}
        if self._position.is_over:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = other
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Return the board as text, with ``x``, ``o`` and ``.``; None without a render mode."""
        return None if self.render_mode is None else str(self._position)

    def close(self) -> None:
        """Do nothing: the environment holds no resources."""


if NAME not in aec_registry:
    register("aec", NAME, entry_point=f"{__name__}:env")
