"""Connect Four against a player of C4, as a Gymnasium environment.

Importing this module registers ``C4/ConnectFour-v0``::

    gymnasium.make("c4core.adapters.gymnasium:C4/ConnectFour-v0", opponent="minimax-windows")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import gymnasium
import numpy as np
from gymnasium import spaces

from c4core.adapters.mover import Mover
from c4core.adapters.planes import PLANES, action_mask, encode
from c4core.notation import DEFAULT_BOARD, check_board
from c4core.position import Position

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from c4core.players import Resources
    from c4core.position import Side

NAME: Final = "C4/ConnectFour-v0"
WON: Final = 1.0
DRAWN: Final = 0.0
LOST: Final = -1.0
SEEDS: Final = 1 << 62


class ConnectFourEnv(gymnasium.Env):
    """One side of a game of Connect Four; a player of C4 has the other side.

    An action is a 0-based column. An observation is a dictionary with two arrays. ``observation``
    is ``int8`` of the shape ``(rows, columns, 2)``, with the top row first. Plane 0 has the
    learner's stones, plane 1 the opponent's. ``action_mask`` is 1 for each column that can be
    played. The reward is 1 for a win, -1 for a loss and 0 otherwise. Playing a full column loses at
    once and sets ``info["illegal"]``. ``info["moves"]`` has the moves, with columns from 1.

    Args:
        opponent: a player's description, or the name of a level.
        width: columns of the board.
        height: rows of the board.
        side: the learner's side. ``"x"`` moves first; None draws a side for every game.
        seconds: the time limit of the opponent's moves; None for no limit.
        resources: as for :class:`c4core.adapters.mover.Mover`.
        render_mode: None, or ``"ansi"`` for text.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        opponent: str = "random",
        *,
        width: int = DEFAULT_BOARD.width,
        height: int = DEFAULT_BOARD.height,
        side: Side | None = None,
        seconds: float | None = None,
        resources: Resources | None = None,
        render_mode: str | None = None,
    ) -> None:
        if side not in ("x", "o", None):
            raise ValueError(f"side must be 'x', 'o' or None, not {side!r}")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode must be 'ansi' or None, not {render_mode!r}")
        self._board = check_board(width, height)
        self._fixed_side = side
        self._opponent = Mover(opponent, seconds=seconds, resources=resources)
        self._position: Position | None = None
        self._is_done = True
        self._side: Side = side or "x"
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(width)
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, (height, width, PLANES), np.int8),
                "action_mask": spaces.Box(0, 1, (width,), np.int8),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.int8]], dict[str, Any]]:
        super().reset(seed=seed, options=options)
        # Both are drawn in every game, so that fixing the side does not change the opponent's seed.
        drawn: Side = "x" if self.np_random.integers(2) == 0 else "o"
        self._opponent.restart(int(self.np_random.integers(SEEDS)))
        self._side = self._fixed_side or drawn
        self._position = Position(board=self._board)
        self._is_done = False
        if self._side == "o":
            self._position = self._position.play(self._opponent.choose(self._position))
        return self._observation(), self._info()

    def step(
        self, action: int
    ) -> tuple[dict[str, NDArray[np.int8]], float, bool, bool, dict[str, Any]]:
        """Play a column, and let the opponent answer."""
        if self._position is None or self._is_done:
            raise gymnasium.error.ResetNeeded("no game is in progress: call reset() first")
        if not self.action_space.contains(action):
            raise gymnasium.error.InvalidAction(
                f"{action!r} is not a column from 0 to {self._board.width - 1}"
            )
        if not self._position.is_legal(int(action)):
            self._is_done = True
            return self._observation(), LOST, True, False, self._info(illegal=True)
        self._position = self._position.play(int(action))
        if not self._position.is_over:
            self._position = self._position.play(self._opponent.choose(self._position))
        self._is_done = self._position.is_over
        return self._observation(), self._reward(), self._is_done, False, self._info()

    def render(self) -> str | None:
        """Return the board as text, with ``x``, ``o`` and ``.``; None without a render mode."""
        return None if self.render_mode is None else str(self._position or "")

    def close(self) -> None:
        """End the opponent's process, if it has one."""
        self._opponent.close()

    def action_masks(self) -> NDArray[np.bool_]:
        """Return a mask of the playable columns, for the maskable algorithms of SB3-Contrib."""
        return self._observation()["action_mask"].astype(np.bool_)

    def _observation(self) -> dict[str, NDArray[np.int8]]:
        assert self._position is not None  # noqa: S101  (a game has begun)
        mask = action_mask(self._position)
        if self._is_done:
            mask[:] = 0
        return {"observation": encode(self._position, self._side), "action_mask": mask}

    def _reward(self) -> float:
        winner = self._position.winner if self._position is not None else None
        if winner is None:
            return DRAWN
        return WON if winner == self._side else LOST

    def _info(self, *, illegal: bool = False) -> dict[str, Any]:
        moves = self._position.moves if self._position is not None else None
        return {"moves": moves, "side": self._side, "illegal": illegal}


if NAME not in gymnasium.registry:
    gymnasium.register(NAME, entry_point=f"{__name__}:ConnectFourEnv")
