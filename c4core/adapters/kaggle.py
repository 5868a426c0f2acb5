"""Players as agents for Kaggle's ConnectX, and readers of its observations.

In ConnectX, columns count from 0, and the board is a flat list with the top row first. The players'
marks are 1 and 2, and mark 1 moves first. Settings that this module does not name are ignored. An
agent file for Kaggle is a file whose last callable is the agent::

    from c4core.adapters.kaggle import make_agent

    agent = make_agent("perfect")

:mod:`c4core.adapters.kaggle_opponents` makes Kaggle's own agents available as players.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

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
"""The side of each mark."""
IN_A_ROW: Final = 4
ACT_TIMEOUT: Final = 2.0
"""Seconds for a move if the configuration has no ``actTimeout``."""
SHARE: Final = 0.8
"""The player's share of the time for a move; the rest covers overhead."""
LONGEST_ACT: Final = 1e9
LONGEST_SIDE: Final = 1_000
"""Larger numbers of columns and rows are refused before the board is checked."""
LONGEST_QUOTE: Final = 40


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
    in_a_row = _whole(configuration, "inarow", IN_A_ROW, LONGEST_SIDE)
    if in_a_row != IN_A_ROW:
        raise AdapterError(f"only four in a row is supported, not {in_a_row}", field="inarow")
    width, height = (
        _whole(configuration, name, default, LONGEST_SIDE)
        for name, default in zip(("columns", "rows"), DEFAULT_BOARD, strict=True)
    )
    try:
        return check_board(width, height)
    except BoardError as error:
        raise AdapterError(str(error), field="configuration") from None


def read_seconds(configuration: Mapping[str, object]) -> float:
    """Read the seconds for a move: ``actTimeout``, or 2 by default."""
    value = configuration.get("actTimeout", ACT_TIMEOUT)
    if not isinstance(value, int | float) or isinstance(value, bool) or math.isnan(value):
        raise AdapterError(f"actTimeout must be a number, not {_quoted(value)}", field="actTimeout")
    if not 0 <= value <= LONGEST_ACT:
        raise AdapterError(
            f"actTimeout must be from 0 to {LONGEST_ACT:g}, not {_quoted(value)}",
            field="actTimeout",
        )
    return float(value)


def read_position(observation: Mapping[str, object], board: BoardSize) -> Position:
    """Read the position that an agent observes: a game in progress, with the agent to move."""
    cells = observation.get("board")
    if not isinstance(cells, list) or len(cells) != board.cells:
        raise AdapterError(f"board must be a list of {board.cells} numbers", field="board")
    for place, cell in enumerate(cells):
        if type(cell) is not int or cell not in range(len(STONES)):  # True does not count as 1
            raise AdapterError(f"board[{place}] must be 0, 1 or 2", field="board")
    rows = [cells[first : first + board.width] for first in range(0, len(cells), board.width)]
    try:
        position = Position.from_grid(
            "\n".join("".join(STONES[cell] for cell in row) for row in rows),
            width=board.width,
            height=board.height,
        )
    except GridError as error:
        raise AdapterError(str(error), field="board") from None
    if position.is_over:
        raise AdapterError("the game is over", field="board")
    if "mark" in observation:
        mark = _whole(observation, "mark", 0, len(SIDES))
        if SIDES[mark] != position.turn:
            raise AdapterError(f"mark {mark} is not to move on this board", field="mark")
    return position


def read_turn(turn: Mapping[str, object]) -> Position:
    """Read the JSON object that various programs send to agents over HTTP.

    ``board`` has rows of 0, 1 and 2 (or -1), the top row first. ``current_player`` is the mark of
    the side to move and ``valid_moves`` are the 0-based open columns; both are optional.
    """
    rows = turn.get("board")
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise AdapterError("board must be a list of rows", field="board")
    squares = [square for row in rows for square in row]
    if any(type(square) is not int or square not in (0, 1, 2, -1) for square in squares):
        raise AdapterError("board must have 0, 1 and 2 (or -1) only", field="board")
    stones = len(squares) - squares.count(0)
    own = turn.get("current_player", 1 if squares.count(1) == stones // 2 else 2)
    if type(own) is not int or own not in (1, 2, -1):
        raise AdapterError("current_player must be 1 or 2 (or -1)", field="current_player")
    mine = squares.count(1) if own == 1 else stones - squares.count(1)
    if mine != stones // 2:
        raise AdapterError(
            f"player {own} is not to move: it has {mine} of {stones} stones", field="current_player"
        )
    first = (own == 1) == (stones % 2 == 0)  # whether 1 moved first
    characters = {0: ".", 1: "x" if first else "o"}
    grid = "/".join(
        "".join(characters.get(square, "o" if first else "x") for square in row) for row in rows
    )
    try:
        position = Position.from_grid(grid, width=len(rows[0]) if rows else 0, height=len(rows))
    except (GridError, BoardError) as error:
        raise AdapterError(str(error), field="board") from None
    if position.is_over:
        raise AdapterError("the game is over", field="board")
    columns = list(position.legal_columns())
    if "valid_moves" in turn and turn["valid_moves"] != columns:
        raise AdapterError(
            f"valid_moves must be {columns}, the columns that can be played", field="valid_moves"
        )
    return position


def _whole(values: Mapping[str, object], name: str, default: int, high: int) -> int:
    """Read a whole number from 1 to ``high``, or return the default if it is missing."""
    value = values.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise AdapterError(f"{name} must be a whole number, not {_quoted(value)}", field=name)
    if not 1 <= value <= high:
        raise AdapterError(f"{name} must be from 1 to {high}, not {_quoted(value)}", field=name)
    return value


def _quoted(value: object) -> str:
    """Quote a value for a message: one short line."""
    if isinstance(value, int) and abs(value) > LONGEST_ACT:
        return "a number this large"
    if isinstance(value, str):
        return repr(value[:LONGEST_QUOTE])
    return repr(value) if isinstance(value, int | float | None) else "a value of another type"
