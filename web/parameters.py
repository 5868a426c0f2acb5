"""Values that were asked for: from the query of an address, or from a JSON object."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeVar

from c4core.errors import BoardError, C4Error
from c4core.lines import BadLine, parse_fields
from c4core.notation import DEFAULT_BOARD, BoardSize, parse_board
from c4core.position import Position
from web.responses import ApiError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from starlette.requests import Request

    from web.settings import Limits

T = TypeVar("T")

LARGEST_WHOLE: Final = 10**18
"""Larger than any count, and small enough for a database."""
LONGEST_QUOTE: Final = 40
"""Characters of what was given that a message repeats."""

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,19}(?:\.[0-9]{0,19})?|\.[0-9]{1,19})(?:e[+-]?[0-9]{1,3})?", re.IGNORECASE
)
_FLAGS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_query(request: Request, names: Collection[str]) -> dict[str, str]:
    """The parameters in the query of an address.

    Args:
        request: whose address it is.
        names: those that there may be.

    Raises:
        ApiError: 400, one is unknown or is given twice.
    """
    given = request.query_params.multi_items()
    values = dict(given)
    only(values, names)
    if len(values) != len(given):
        twice = next(name for name in values if len(request.query_params.getlist(name)) > 1)
        raise ApiError(400, f"{twice} is given more than once", twice)
    return values


def only(values: Mapping[str, object], names: Collection[str]) -> None:
    """Refuse parameters that nobody would read.

    Raises:
        ApiError: 400, there is one that is not among the names.
    """
    for name in values:
        if name not in names:
            known = ", ".join(sorted(names)) or "none"
            raise ApiError(400, f"unknown parameter {quote(name)}; known here: {known}", name)


def missing(name: str) -> ApiError:
    """The error where a parameter is missing that has no default."""
    return ApiError(400, f"{name} is missing", name)


def quote(value: object) -> str:
    """What was given, for a message: of one line and not long."""
    shown = json.dumps(value) if isinstance(value, str | int | float | None) else "that"
    return shown if len(shown) <= LONGEST_QUOTE else f"{shown[:LONGEST_QUOTE]}..."


def whole(values: Mapping[str, object], name: str, default: T, low: int, high: int) -> int | T:
    """A whole number from ``low`` to ``high``, or the default where it is not given.

    Raises:
        ApiError: 400, it is no whole number, or not among these.
    """
    if name not in values:
        return default
    value = values[name]
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ApiError(400, f"{name} must be a whole number, not {quote(values[name])}", name)
    if not low <= value <= high:
        raise ApiError(400, f"{name} must be from {low} to {high}, not {quote(value)}", name)
    return value


def number(
    values: Mapping[str, object], name: str, default: T, low: float, high: float
) -> float | T:
    """A number from ``low`` to ``high``, or the default where it is not given.

    Raises:
        ApiError: 400, it is no number, or not among these.
    """
    if name not in values:
        return default
    value = values[name]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if not isinstance(value, int | float) or isinstance(value, bool) or _is_nan(value):
        raise ApiError(400, f"{name} must be a number, not {quote(values[name])}", name)
    if not low <= value <= high:
        raise ApiError(400, f"{name} must be from {low:g} to {high:g}, not {quote(value)}", name)
    return float(value)


def _is_nan(value: float) -> bool:
    return isinstance(value, float) and math.isnan(value)  # it takes no whole number of any size


def flag(values: Mapping[str, object], name: str, *, default: bool = False) -> bool:
    """``true`` or ``false``, or the default where it is not given.

    Raises:
        ApiError: 400, it is neither.
    """
    value = values.get(name, default)
    if isinstance(value, bool):
        return value
    found = _FLAGS.get(value.lower()) if isinstance(value, str) else None
    if found is None:
        raise ApiError(400, f"{name} must be true or false, not {quote(value)}", name)
    return found


def text(values: Mapping[str, object], name: str, default: T, *, longest: int = 1_000) -> str | T:
    """A text that databases can store, or the default where it is not given.

    Raises:
        ApiError: 400, it is no text, is too long, or has characters that cannot be stored.
    """
    if name not in values:
        return default
    value = values[name]
    if not isinstance(value, str):
        raise ApiError(400, f"{name} must be text, not {quote(value)}", name)
    if len(value) > longest:
        raise ApiError(400, f"{name} has {len(value)} characters, the limit is {longest}", name)
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ApiError(400, f"{name} has characters that cannot be stored", name)
    return value


def choice(
    values: Mapping[str, object], name: str, default: T, choices: Collection[str]
) -> str | T:
    """One of some words, or the default where it is not given.

    Raises:
        ApiError: 400, it is none of them.
    """
    if name not in values:
        return default
    value = values[name]
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(choices)
        raise ApiError(400, f"{name} must be one of: {known}; not {quote(value)}", name)
    return value


def budget(values: Mapping[str, object], limits: Limits, default: float = 2.0) -> float:
    """Seconds that an answer may take, in ``budget``.

    Raises:
        ApiError: 400, it is no number, or more than the limits allow.
    """
    highest = limits.budget_seconds
    return number(values, "budget", min(default, highest), 0, highest)


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
