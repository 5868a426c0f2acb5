"""Players as agents for Kaggle's ConnectX, and readers of its observations.

In ConnectX, columns count from 0, and the board is a flat list with the top row first. The players'
marks are 1 and 2, and mark 1 moves first. Settings that this module does not name are ignored. An
agent file for Kaggle is a file whose last callable is the agent::

    from c4core.adapters.kaggle import make_agent

    agent = make_agent("perfect")

:mod:`c4core.adapters.kaggle_opponents` makes Kaggle's own agents available as players.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import msgspec

from c4core.adapters.mover import AdapterError, Mover
from c4core.errors import BoardError, GridError
from c4core.notation import DEFAULT_BOARD, check_board
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from c4core.notation import BoardSize
    from c4core.players import Resources
    from c4core.position import Side

STONES: Final = (".", "x", "o")
"""The grid characters for the cells 0, 1 and 2."""
SIDES: Final[dict[int, Side]] = {1: "x", 2: "o"}
IN_A_ROW: Final = 4
ACT_TIMEOUT: Final = 2.0
"""Seconds for a move if the configuration has no ``actTimeout``."""
SHARE: Final = 0.8
"""The player's share of the time for a move; the rest covers overhead."""

LONGEST_ACT: Final = 1e9

_Size = Annotated[int, msgspec.Meta(ge=1, le=1_000)]
_Seconds = Annotated[float, msgspec.Meta(ge=0, le=LONGEST_ACT)]


def make_agent(
    player: str = "perfect",
    *,
    seed: int | None = None,
    resources: Resources | None = None,
) -> Callable[[Mapping[str, Any], Mapping[str, Any]], int]:
    """Turn a player into an agent: a function of an observation and a configuration.

    The agent returns a 0-based column, as a plain ``int``, within four fifths of ``actTimeout``. It
    raises :class:`AdapterError` for observations of another game, and
    :class:`c4core.players.PlayerFailure` if the player fails to move. Kaggle counts both as an
    error of the agent.
    """
    mover = Mover(player, seed=seed, resources=resources)

    def agent(observation: Mapping[str, Any], configuration: Mapping[str, Any]) -> int:
        position = read_position(observation, read_board(configuration))
        return mover.choose(position, seconds=SHARE * read_seconds(configuration))

    return agent


def read_board(configuration: Mapping[str, object]) -> BoardSize:
    """Read the board size from a configuration; 7x6 by default."""
    in_a_row = _read(configuration, "inarow", _Size, IN_A_ROW)
    if in_a_row != IN_A_ROW:
        raise AdapterError(f"only four in a row is supported, not {in_a_row}", field="inarow")
    width = _read(configuration, "columns", _Size, DEFAULT_BOARD.width)
    height = _read(configuration, "rows", _Size, DEFAULT_BOARD.height)
    try:
        return check_board(width, height)
    except BoardError as error:
        raise AdapterError(str(error), field="configuration") from None


def read_seconds(configuration: Mapping[str, object]) -> float:
    """Read the seconds for a move: ``actTimeout``, or 2 by default."""
    return _read(configuration, "actTimeout", _Seconds, ACT_TIMEOUT)


def read_position(observation: Mapping[str, object], board: BoardSize) -> Position:
    """Read the position that an agent observes: a game in progress, with the agent to move."""
    cells = _read(observation, "board", list[Literal[0, 1, 2]])
    if len(cells) != board.cells:
        raise AdapterError(f"board must be a list of {board.cells} numbers", field="board")
    rows = [cells[first : first + board.width] for first in range(0, len(cells), board.width)]
    try:
        position = Position.from_grid(
            "\n".join("".join(STONES[cell] for cell in row) for row in rows), board=board
        )
    except GridError as error:
        raise AdapterError(str(error), field="board") from None
    if position.is_over:
        raise AdapterError("the game is over", field="board")
    if "mark" in observation:
        mark = _read(observation, "mark", Literal[1, 2])
        if SIDES[mark] != position.turn:
            raise AdapterError(f"mark {mark} is not to move on this board", field="mark")
    return position


def _read(values: Mapping[str, object], name: str, kind: Any, default: object = None) -> Any:  # noqa: ANN401
    """Read a field; the error names it."""
    try:
        return msgspec.convert(values.get(name, default), kind)
    except (OverflowError, msgspec.ValidationError) as error:
        raise AdapterError(f"{name}: {error}", field=name) from None
