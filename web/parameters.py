"""Request parameters: from the query, the path, or a JSON object.

Parameters are declared once, as a msgspec struct: :func:`read` and :func:`read_json` read them, and
``web.openapi`` describes them. If a value is wrong, the :class:`ApiError` names its field.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from c4core.errors import BoardError, C4Error
from c4core.lines import BadLine, board_of, parse_fields, parse_position
from c4core.notation import DEFAULT_BOARD, MAX_BITS, MAX_WIDTH, BoardSize, parse_board
from web.responses import LONGEST_QUOTE, ApiError, quote
from web.service import service_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.requests import Request

    from c4core import lines
    from c4core.position import Position
    from web.settings import Limits

P = TypeVar("P", bound=Struct)
Cursor = TypeVar("Cursor")

LARGEST_KEY: Final = (1 << MAX_BITS) - 1
DIGITS: Final = re.compile(rf"[0-9]{{1,{len(str(LARGEST_KEY))}}}")
"""A key, or another unsigned number, as text."""
LONGEST_MOVES: Final = 1_024
"""Maximum length of moves; every board has fewer cells."""
BUDGET: Final = "the server's --max-budget"
"""Placeholder for the limit of a search in schemas."""
_SECONDS: Final = ("budget", "seconds")
"""The names of all fields whose maximum is the server's limit of a search."""
_FIELD: Final = re.compile(r"field `(\w+)`|\.(\w+)(?:\[[^\]]*\])*`$")
"""Matches the field in msgspec's messages."""
_NAMES: Final = re.compile(r"`([^`]*)`")
"""Matches the types in msgspec's messages."""
_TYPES: Final = {
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "str": "text",
    "array": "a list",
    "object": "an object",
}


class Parameters(Struct, kw_only=True, forbid_unknown_fields=True):
    """The parameters of a request, or the fields of its body."""


def seconds_from(least: float) -> Meta:
    """The metadata of a time in seconds; its maximum is the server's limit of a search."""
    return Meta(ge=least, extra_json_schema={"maximum": BUDGET})


def read(kind: type[P], values: Mapping[str, object], limits: Limits) -> P:
    """Read texts into a struct; missing fields have their defaults."""
    try:
        found = msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise _refusal(kind, error) from None
    for name in values:
        if getattr(found, name, UNSET) is None:  # msgspec reads the text "null" so
            raise ApiError(400, f"{name} must not be null: leave it out", name)
    return _within(limits, found)


def read_json(kind: type[P], body: bytearray, limits: Limits) -> P:
    """Read a JSON object into a struct, or into one of a union; values have the declared types."""
    try:
        values: P = _decoder(kind).decode(body)
        return _within(limits, values)
    except msgspec.ValidationError as error:
        raise _refusal(kind, error) from None
    except msgspec.DecodeError as error:
        raise ApiError(400, f"not JSON: {error}") from None
    except RecursionError:
        raise ApiError(400, "not JSON: nested too deep") from None


@lru_cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:  # noqa: ANN401 (a struct, or a union)
    return msgspec.json.Decoder(kind)


def _within(limits: Limits, values: P) -> P:
    """Check the times; a default may be longer than the server's limit."""
    most = limits.budget_seconds
    for name in _SECONDS:
        seconds = getattr(values, name, None)
        if seconds is None or seconds <= most:
            continue
        defaults = {field.name: field.default for field in msgspec.structs.fields(values)}
        if seconds != defaults[name]:
            message = f"{name} must be a number up to {most:g}, not {quote(seconds)}"
            raise ApiError(400, message, name)
        setattr(values, name, most)
    return values


def _refusal(kind: Any, error: msgspec.ValidationError) -> ApiError:  # noqa: ANN401 (a union)
    """The error response for a value of another type or out of bounds."""
    what = str(error).partition(" - at ")[0]
    found = _FIELD.search(str(error))
    if found is None:
        return ApiError(400, "the body must be a JSON object")
    name = found[1] or found[2]
    if what.startswith("Object missing"):
        what = f"{name} is missing"
    elif what.startswith("Object contains"):
        names = getattr(kind, "__struct_fields__", ())  # a union has none
        known = f"; known here: {', '.join(sorted(names)) or 'none'}" if names != () else ""
        what = f"unknown parameter {quote(name)}{known}"
    elif what.startswith("Invalid"):
        what = f"{name} must be one of: {', '.join(_choices(kind, name))}"
    elif what.startswith("Expected "):
        what = f"{name} must be {_NAMES.sub(_words, what[len('Expected ') :])}"
        what = what.replace(", got ", ", not ")
    else:
        what = f"{name}: {what[0].lower()}{what[1:]}"
    return ApiError(400, what, name)


def _words(names: re.Match[str]) -> str:
    """The names of types in words."""
    kinds = [kind for kind in names[1].split(" | ") if kind != "null"] or ["null"]
    return " or ".join(_TYPES.get(kind, kind) for kind in kinds)


def _choices(kind: object, name: str) -> list[str]:
    """The texts that a field may have."""
    _, components = msgspec.json.schema_components([kind])
    found: list[str] = []
    for component in components.values():
        schema = component.get("properties", {}).get(name, {})
        for one in (schema, *schema.get("anyOf", ())):
            part = components.get(one.get("$ref", "").rpartition("/")[2], one)
            found += [str(choice) for choice in part.get("enum", ()) if choice is not None]
    return found


def read_query(request: Request, kind: type[P]) -> P:
    """Read the parameters in the query; refuse parameters that are given twice.

    ``pos`` is another name of ``moves``, as in the addresses of the page.
    """
    given = request.query_params.multi_items()
    if "moves" in kind.__struct_fields__:
        given = [("moves" if name == "pos" else name, value) for name, value in given]
    values = dict(given)
    found = read(kind, values, service_of(request).settings.limits)
    if len(values) != len(given):
        names = [name for name, _ in given]
        twice = next(name for name in names if names.count(name) > 1)
        raise ApiError(400, f"{twice} is given more than once", twice)
    return found


def read_cursor(
    text: str | UnsetType, pattern: re.Pattern[str], parse: Callable[[str], Cursor]
) -> Cursor | None:
    """Read the cursor of a page.

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


Moves = Annotated[
    str, Meta(max_length=LONGEST_MOVES, extra_json_schema={"pattern": "^[1-9a-wA-W]*$"})
]
AnyMoves = Annotated[str, Meta(max_length=LONGEST_MOVES)]
"""Moves in any form that :mod:`c4core.reader` reads."""
Board = Annotated[str, Meta(extra_json_schema={"pattern": "^[0-9]{1,3}[xX][0-9]{1,3}$"})]
Key = (
    Annotated[int, Meta(ge=0, extra_json_schema={"maximum": LARGEST_KEY})]
    | Annotated[str, Meta(extra_json_schema={"pattern": f"^{DIGITS.pattern}$"})]
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
            description="The moves; columns count from 1: `4453`, `4,4,5,3` or `d1 d2 e1 c1`. "
            "`pos` is another name.",
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
            "breaks or / between them, the top row first.",
        ),
    ] = UNSET

    def read(self, or_moves: str | None = None) -> AskedPosition:
        """The position; without a board, a grid or an address determines the size."""
        values = {name: getattr(self, name) for name in ("moves", "key", "grid")}
        fields = {name: value for name, value in values.items() if value is not UNSET}
        if not fields:
            if or_moves is None:
                message = 'give "moves" (empty for the empty board), "key" or "grid"'
                raise ApiError(400, message, "moves")
            fields["moves"] = or_moves
        board = read_board(self.board)
        for name in ("moves", "grid"):
            if self.board is UNSET and name in fields:
                try:
                    board = board_of(str(fields[name])) or board
                except C4Error as error:
                    raise ApiError(400, str(error), name) from None
        if fields.keys() == {"moves"}:
            asked = play_any(str(fields["moves"]), board, "moves")
            return AskedPosition(asked.position, asked.moves, board)
        found = parse_fields(fields, board=board)
        if isinstance(found, BadLine):
            raise ApiError(400, found.error, found.field)
        return AskedPosition(found.position, found.moves, board)


@dataclass(frozen=True, slots=True)
class AskedPosition:
    """The position of a request."""

    position: Position
    moves: str | None
    """The moves as they were sent; None if a key or a grid was sent."""
    board: BoardSize


def read_board(value: str | UnsetType) -> BoardSize:
    """Read a board's size, such as ``7x6``; ``UNSET`` is the default size."""
    if isinstance(value, UnsetType):
        return DEFAULT_BOARD
    if len(value) > LONGEST_QUOTE:
        raise ApiError(400, f"not a board size: {quote(value)}", "board")
    try:
        return _parse_board(value)
    except BoardError as error:
        raise ApiError(400, str(error), "board") from None


_parse_board: Final = lru_cache(maxsize=256)(parse_board)


def play_any(moves: str, board: BoardSize, field: str) -> lines.Request:
    """The position after moves in any form; ``field`` is the name of their parameter."""
    try:
        return parse_position(moves, board)
    except C4Error as error:
        raise ApiError(400, str(error), field) from None
