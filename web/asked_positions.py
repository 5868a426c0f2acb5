"""Boards and positions that were asked for: from the query of an address, or from a JSON object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from c4core.errors import BoardError, C4Error
from c4core.lines import BadLine, parse_fields
from c4core.notation import DEFAULT_BOARD, BoardSize, parse_board
from c4core.position import Position
from web.errors import ApiError
from web.parameters import LONGEST_QUOTE, quote

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_MOVES: Final = 256
"""Characters of moves that are looked at: no board has so many cells."""
POSITION: Final = frozenset({"moves", "key", "grid", "board"})
"""The names that :func:`read_position` reads."""


@dataclass(frozen=True, slots=True)
class AskedPosition:
    """A position that a request names."""

    position: Position
    moves: str | None
    """The moves as they were written; None where a key or a grid was given."""
    board: BoardSize


def read_board(values: Mapping[str, object], default: BoardSize = DEFAULT_BOARD) -> BoardSize:
    """The size of a board, such as ``7x6``, in ``board``.

    Raises:
        ApiError: 400, it is no size, or nobody can play on such a board.
    """
    value = values.get("board", default)
    if isinstance(value, BoardSize):
        return value
    if not isinstance(value, str):
        raise ApiError(400, f'board must be text such as "7x6", not {quote(value)}', "board")
    if len(value) > LONGEST_QUOTE:
        raise ApiError(400, f"not a board size: {quote(value)}", "board")
    try:
        return _parse_board(value)
    except BoardError as error:
        raise ApiError(400, str(error), "board") from None


_parse_board: Final = lru_cache(maxsize=256)(parse_board)


def read_position(values: Mapping[str, object]) -> AskedPosition:
    """The position that is named by ``moves``, ``key`` or ``grid``, on ``board``.

    A grid says itself how large the board is.

    Raises:
        ApiError: 400, none or several are given, or what is given is no position.
    """
    moves = values.get("moves")
    if isinstance(moves, str) and "key" not in values and "grid" not in values:
        board = read_board(values)
        return AskedPosition(play(moves, board, "moves"), moves, board)
    board = _board_of_grid(values) if "board" not in values else read_board(values)
    fields = {name: values[name] for name in ("moves", "key", "grid") if name in values}
    if not fields:
        raise ApiError(400, 'give "moves" (empty for the empty board), "key" or "grid"', "moves")
    request = parse_fields(fields, board=board)
    if isinstance(request, BadLine):
        raise ApiError(400, request.error, request.field)
    return AskedPosition(request.position, request.moves, board)


def play(moves: str, board: BoardSize, field: str) -> Position:
    """The position after some moves.

    Args:
        moves: columns from 1, a character each.
        board: to play on.
        field: the name of the parameter that they came in.

    Raises:
        ApiError: 400, a move cannot be read or cannot be played.
    """
    if len(moves) > LONGEST_MOVES:
        raise ApiError(400, f"{field} has {len(moves)} characters: no board has so many", field)
    try:
        return Position(moves, width=board.width, height=board.height)
    except C4Error as error:
        raise ApiError(400, str(error), field) from None


def _board_of_grid(values: Mapping[str, object]) -> BoardSize:
    grid = values.get("grid")
    if not isinstance(grid, str):
        return DEFAULT_BOARD
    try:
        return Position.from_grid(grid).board
    except C4Error as error:
        raise ApiError(400, str(error), "grid") from None
