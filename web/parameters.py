"""Request parameters: from the query, the path, or a JSON object.

Parameters are declared once, as a msgspec struct: :func:`read` reads them, and ``web.openapi``
describes them. Values of a query are text; values of an object may be text or have their own type.
If a value is wrong, the :class:`ApiError` names its field.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar, cast

from msgspec import NODEFAULT, UNSET, Meta, Struct, UnsetType, inspect

from c4core.errors import BoardError, C4Error
from c4core.grids import read_grid
from c4core.lines import BadLine, parse_fields, parse_position
from c4core.notation import DEFAULT_BOARD, MAX_BITS, MAX_WIDTH, BoardSize, parse_board
from c4core.position import Position
from web.responses import LONGEST_QUOTE, ApiError, quote
from web.service import service_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from starlette.requests import Request

    from c4core import lines
    from web.settings import Limits

P = TypeVar("P", bound=Struct)
Cursor = TypeVar("Cursor")

LARGEST_WHOLE: Final = 10**18
"""Default upper bound of integers; a database can store it."""
LARGEST_KEY: Final = (1 << MAX_BITS) - 1
DIGITS: Final = re.compile(rf"[0-9]{{1,{len(str(LARGEST_KEY))}}}")
"""A key, or another unsigned number, as text."""
LONGEST_MOVES: Final = 1_024
"""Maximum length of moves; every board has fewer cells."""
BUDGET: Final = "the server's --max-budget"
"""Placeholder for the limit of a search in schemas."""

_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,19}")
_NUMBER: Final = re.compile(
    r"[+-]?(?:[0-9]{1,19}(?:\.[0-9]{0,19})?|\.[0-9]{1,19})(?:e[+-]?[0-9]{1,3})?", re.IGNORECASE
)
_FLAGS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def only(values: Mapping[str, object], names: Collection[str]) -> None:
    """Refuse unknown parameters."""
    for name in values:
        if name not in names:
            known = ", ".join(sorted(names)) or "none"
            raise ApiError(400, f"unknown parameter {quote(name)}; known here: {known}", name)


def whole(value: object, name: str, low: int, high: int) -> int:
    """A whole number from ``low`` to ``high``."""
    given = int(value) if isinstance(value, str) and _WHOLE.fullmatch(value) else value
    if not isinstance(given, int) or isinstance(given, bool):
        raise ApiError(400, f"{name} must be a whole number, not {quote(value)}", name)
    if not low <= given <= high:
        raise ApiError(400, f"{name} must be from {low} to {high}, not {quote(given)}", name)
    return given


def number(value: object, name: str, low: float, high: float) -> float:
    """A number from ``low`` to ``high``."""
    given = float(value) if isinstance(value, str) and _NUMBER.fullmatch(value) else value
    if not isinstance(given, int | float) or isinstance(given, bool) or _is_nan(given):
        raise ApiError(400, f"{name} must be a number, not {quote(value)}", name)
    if not low <= given <= high:
        raise ApiError(400, f"{name} must be from {low:g} to {high:g}, not {quote(given)}", name)
    return float(given)


def _is_nan(value: float) -> bool:
    return isinstance(value, float) and math.isnan(value)  # isnan() fails for very large integers


def flag(value: object, name: str) -> bool:
    """``true`` or ``false``."""
    if isinstance(value, bool):
        return value
    found = _FLAGS.get(value.lower()) if isinstance(value, str) else None
    if found is None:
        raise ApiError(400, f"{name} must be true or false, not {quote(value)}", name)
    return found


def text(value: object, name: str, *, longest: int) -> str:
    """A text that databases can store."""
    if not isinstance(value, str):
        raise ApiError(400, f"{name} must be text, not {quote(value)}", name)
    if len(value) > longest:
        raise ApiError(400, f"{name} has {len(value)} characters, the limit is {longest}", name)
    if "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ApiError(400, f"{name} has characters that cannot be stored", name)
    return value


def choice(value: object, name: str, choices: Collection[str]) -> str:
    """One of the choices."""
    if not isinstance(value, str) or value not in choices:
        known = ", ".join(choices)
        raise ApiError(400, f"{name} must be one of: {known}; not {quote(value)}", name)
    return value


class Parameters(Struct, kw_only=True, forbid_unknown_fields=True):
    """The parameters of a request, or the fields of its body.

    A field with the default ``UNSET`` keeps the value as it was sent. Other fields are read by
    their type and bounds. ``extra`` of ``Meta`` may have ``choices`` (see :func:`one_of`) and
    ``budget`` (:func:`seconds_from`). It may also have ``read``, a function of value and name, and
    ``missing``, a hint for the message if a required field is missing.
    """


def one_of(choices: Collection[str], description: str, example: str | None = None) -> Meta:
    """The metadata of a text that must be one of the choices."""
    return Meta(
        description=description,
        examples=None if example is None else [example],
        extra={"choices": choices},
        extra_json_schema={"enum": list(choices)},
    )


def seconds_from(least: float) -> Meta:
    """The metadata of a time in seconds; its maximum is the server's limit of a search."""
    return Meta(ge=least, extra={"budget": True}, extra_json_schema={"maximum": BUDGET})


def read(kind: type[P], values: Mapping[str, object], limits: Limits) -> P:
    """Read values into a struct; missing fields have their defaults."""
    names, readers = _readers(kind)
    if kind.__struct_config__.forbid_unknown_fields:
        only(values, names)
    return kind(**{name: reader(values, limits) for name, reader in readers})


def read_query(request: Request, kind: type[P]) -> P:
    """Read the parameters in the query; refuse parameters that are given twice."""
    given = request.query_params.multi_items()
    values = dict(given)
    only(values, _readers(kind)[0])
    if len(values) != len(given):
        twice = next(name for name in values if len(request.query_params.getlist(name)) > 1)
        raise ApiError(400, f"{twice} is given more than once", twice)
    return read(kind, values, service_of(request).settings.limits)


def read_cursor(
    text: str | UnsetType, pattern: re.Pattern[str], parse: Callable[[str], Cursor]
) -> Cursor | None:
    """The row before a page, from the previous page's ``next``; None for the first page.

    ``parse`` raises a ValueError if the text matches the pattern but names no row.
    """
    if isinstance(text, UnsetType):
        return None
    if pattern.fullmatch(text):
        with suppress(ValueError):
            return parse(text)
    message = f'cursor must be the "next" of the previous page, not {quote(text)}'
    raise ApiError(400, message, "cursor")


def read_path(request: Request, kind: type[P]) -> P:
    """Read the parameters in the path."""
    return read(kind, request.path_params, service_of(request).settings.limits)


@lru_cache
def _readers(kind: type[Struct]) -> tuple[frozenset[str], list[tuple[str, Callable[..., object]]]]:
    """The names of a struct's fields, and a function that reads each field."""
    info = cast("inspect.StructType", inspect.type_info(kind))
    readers = [(field.name, _reader(field)) for field in info.fields]
    tag = {info.tag_field} if info.tag_field else set()
    return frozenset(tag.union(name for name, _ in readers)), readers


def _reader(field: inspect.Field) -> Callable[[Mapping[str, object], Limits], object]:
    """The function that reads a field from the values."""
    name = field.name
    kind, extra = _unwrapped(field.type)
    default = UNSET if field.default is NODEFAULT else field.default
    is_kept = default is UNSET and not field.required
    take = (lambda value, _: value) if is_kept else _taker(name, kind, extra)

    def read_field(values: Mapping[str, object], limits: Limits) -> object:
        if name in values:
            return take(values[name], limits)
        if field.required:
            hint = f": {extra['missing']}" if "missing" in extra else ""
            raise ApiError(400, f"{name} is missing{hint}", name)
        return min(default, limits.budget_seconds) if default and "budget" in extra else default

    return read_field


def _taker(
    name: str, kind: inspect.Type, extra: Mapping[str, Any]
) -> Callable[[object, Limits], object]:
    """The function that reads a value of this type."""
    if "read" in extra:
        return lambda value, _: extra["read"](value, name)
    if "choices" in extra:
        return lambda value, _: choice(value, name, extra["choices"])
    match kind:
        case inspect.IntType(ge=low, le=high):
            bounds = int(low or 0), int(high or LARGEST_WHOLE)
            return lambda value, _: whole(value, name, *bounds)
        case inspect.FloatType(ge=low):
            return lambda value, limits: number(value, name, low or 0, limits.budget_seconds)
        case inspect.BoolType():
            return lambda value, _: flag(value, name)
        case _:
            longest = getattr(kind, "max_length", None) or 1_000
            return lambda value, _: text(value, name, longest=longest)


def _unwrapped(kind: inspect.Type) -> tuple[inspect.Type, dict[str, Any]]:
    """The type without None, and the ``extra`` of its ``Meta``."""
    if isinstance(kind, inspect.Metadata):
        inner, extra = _unwrapped(kind.type)
        return inner, extra | (kind.extra or {})
    if isinstance(kind, inspect.UnionType):
        return _unwrapped(next(one for one in kind.types if not isinstance(one, inspect.NoneType)))
    return kind, {}


def read_moves(value: object, name: str) -> str:
    """Check that a value is text that may be moves; :func:`play` plays them."""
    if not isinstance(value, str):
        raise ApiError(400, f"{name} must be text, not {quote(value)}", name)
    if len(value) > LONGEST_MOVES:
        raise ApiError(400, f"{name} has {len(value)} characters, too many for any board", name)
    return value


Moves = Annotated[
    str, Meta(pattern="^[1-9a-wA-W]*$", max_length=MAX_BITS, extra={"read": read_moves})
]
AnyMoves = Annotated[str, Meta(max_length=LONGEST_MOVES, extra={"read": read_moves})]
"""Moves in any form that :mod:`c4core.reader` reads."""
Board = Annotated[str, Meta(pattern="^[0-9]{1,3}[xX][0-9]{1,3}$")]
Key = (
    Annotated[int, Meta(ge=0, extra_json_schema={"maximum": LARGEST_KEY})]
    | Annotated[str, Meta(pattern=f"^{DIGITS.pattern}$")]
)
Column = Annotated[int, Meta(ge=1, le=MAX_WIDTH)]
Side = Literal["x", "o"]
Value = Literal["win", "draw", "loss"]
Budget = Annotated[float, seconds_from(0)]


class OnBoard(Parameters):
    """A board."""

    board: Annotated[
        Board | UnsetType, Meta(description="Columns x rows; 7x6 by default.", examples=["7x6"])
    ] = UNSET


class OfPosition(OnBoard):
    """A position: moves, a key or a grid."""

    moves: Annotated[
        AnyMoves | UnsetType,
        Meta(
            description="The moves; columns count from 1: `4453`, `4,4,5,3` or `d1 d2 e1 c1`.",
            examples=["4453"],
        ),
    ] = UNSET
    key: Annotated[Key | UnsetType, Meta(description="The position's key, instead of moves.")] = (
        UNSET
    )
    grid: Annotated[
        str | UnsetType,
        Meta(
            description="Instead of moves: rows of x, o and dots, or of 0, 1 and 2, with line "
            "breaks or / between them, the top row first."
        ),
    ] = UNSET

    def given(self, or_moves: str | None = None) -> dict[str, object]:
        """The values that were sent, for :func:`read_position`; ``or_moves`` by default."""
        values = {name: getattr(self, name) for name in ("moves", "key", "grid", "board")}
        given = {name: value for name, value in values.items() if value is not UNSET}
        if or_moves is not None and not given.keys() - {"board"}:
            given["moves"] = or_moves
        return given


@dataclass(frozen=True, slots=True)
class AskedPosition:
    """The position of a request."""

    position: Position
    moves: str | None
    """The moves as they were sent; None if a key or a grid was sent."""
    board: BoardSize


def read_board(value: object, default: BoardSize = DEFAULT_BOARD) -> BoardSize:
    """Read a board's size, such as ``7x6``; ``UNSET`` is the default size."""
    if value is UNSET:
        return default
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
    """The position of ``moves``, ``key`` or ``grid`` on ``board``.

    Without ``board``, a grid determines the size.
    """
    moves = values.get("moves")
    if isinstance(moves, str) and "key" not in values and "grid" not in values:
        board = read_board(values.get("board", UNSET))
        request = play_any(moves, board, "moves")
        return AskedPosition(request.position, request.moves, board)
    board = _board_of_grid(values) if "board" not in values else read_board(values["board"])
    fields = {name: values[name] for name in ("moves", "key", "grid") if name in values}
    if not fields:
        raise ApiError(400, 'give "moves" (empty for the empty board), "key" or "grid"', "moves")
    found = parse_fields(fields, board=board)
    if isinstance(found, BadLine):
        raise ApiError(400, found.error, found.field)
    return AskedPosition(found.position, found.moves, board)


def play(moves: str, board: BoardSize, field: str) -> Position:
    """The position after moves that are written as ``4453``, in the parameter ``field``."""
    read_moves(moves, field)
    try:
        return Position(moves, width=board.width, height=board.height)
    except C4Error as error:
        raise ApiError(400, str(error), field) from None


def play_any(moves: str, board: BoardSize, field: str) -> lines.Request:
    """The position after moves in any form; ``field`` is the name of their parameter."""
    read_moves(moves, field)
    try:
        return parse_position(moves, board)
    except C4Error as error:
        raise ApiError(400, str(error), field) from None


def _board_of_grid(values: Mapping[str, object]) -> BoardSize:
    grid = values.get("grid")
    if not isinstance(grid, str):
        return DEFAULT_BOARD
    try:
        return read_grid(grid).board
    except C4Error as error:
        raise ApiError(400, str(error), "grid") from None
