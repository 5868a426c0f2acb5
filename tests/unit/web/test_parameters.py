"""Reading parameters: valid values, and errors about all others."""

import asyncio
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from msgspec import UNSET, Meta, UnsetType
from starlette.requests import Request

from c4core.notation import BoardSize
from c4core.position import Position
from web.bodies import read_object
from web.parameters import Budget, OfPosition, Parameters, read, read_board, read_json
from web.responses import ApiError
from web.service import Service
from web.settings import Limits, ServerSettings


class Values(Parameters):
    text: Annotated[str, Meta(max_length=3)] = "x"
    whole: Annotated[int, Meta(ge=-2, le=9)] = 1
    maybe: Annotated[int, Meta(ge=1, le=9)] | None = None
    budget: Budget = 2
    flag: bool = False
    choice: Literal["a", "b"] | None = None
    numbers: list[int] | None = None
    later: int | UnsetType = UNSET


class Needed(Parameters):
    number: Annotated[int, Meta(ge=1, le=9)]


def read_values(values: dict[str, object], budget: float = 30) -> Values:
    return read(Values, values, Limits(budget_seconds=budget))


def refused(call: Any, *arguments: Any, **named: Any) -> ApiError:  # noqa: ANN401
    with pytest.raises(ApiError) as caught:
        call(*arguments, **named)
    assert caught.value.status == 400
    assert len(caught.value.message) < 200
    return caught.value


def test_a_struct_is_read_with_its_defaults() -> None:
    found = read_values({})
    assert (found.text, found.whole, found.maybe, found.flag) == ("x", 1, None, False)
    assert (found.choice, found.later) == (None, UNSET)
    sent: dict[str, object] = {"text": "abc", "whole": "-2", "maybe": "9", "flag": "true"}
    found = read_values(sent | {"choice": "b", "budget": "0.5"})
    assert (found.text, found.whole, found.maybe, found.flag) == ("abc", -2, 9, True)
    assert (found.choice, found.budget) == ("b", 0.5)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"text": "abcd"}, "text must be text of length <= 3"),
        ({"whole": "-3"}, "whole must be a whole number >= -2"),
        *(({"whole": bad}, "whole") for bad in ("", " 5", "5.5", "1e30", "9" * 400, "\u0665")),
        ({"flag": "maybe"}, "flag must be true or false, not text"),
        ({"choice": "c"}, "choice must be one of: a, b"),
        *(({name: "null"}, f"{name} must not be null") for name in ("maybe", "choice")),
        *(({"budget": bad}, "budget") for bad in ("-0.1", "nan", "1e400", "0x1", "1_0", "")),
        *(({"budget": bad}, "budget must be a number up to 30") for bad in ("30.1", "inf")),
        ({"x": "1"}, 'unknown parameter "x"; known here: budget, choice, flag, later, maybe, '),
    ],
)
def test_bad_fields_are_refused(values: dict[str, object], message: str) -> None:
    error = refused(read_values, values)
    assert error.message.startswith(message)
    assert error.field == next(iter(values))


def test_a_missing_field_is_named() -> None:
    error = refused(read, Needed, {}, Limits())
    assert (error.message, error.field) == ("number is missing", "number")


def test_a_default_budget_is_within_the_limit() -> None:
    assert read_values({}).budget == 2
    assert read_values({}, budget=1).budget == 1
    assert read_values({"budget": "30"}).budget == 30


@pytest.mark.parametrize(
    ("body", "field", "message"),
    [
        (b"{", None, "not JSON"),
        (b"\xff", None, "not JSON"),
        (b"", None, "not JSON"),
        (b"[]", None, "the body must be a JSON object"),
        (b"[" * 100_000, None, "the body must be a JSON object"),
        (b'{"whole": NaN}', None, "not JSON"),
        (b'{"whole": "5"}', "whole", "must be a whole number, not text"),
        (b'{"whole": true}', "whole", "must be a whole number, not true or false"),
        (b'{"whole": ' + b"9" * 10_000 + b"}", "whole", "out of range"),
        (b'{"budget": 1e999}', "budget", "out of range"),
        (b'{"text": "\xff"}', None, "not JSON"),
        (b'{"numbers": [1, {}]}', "numbers", "must be a whole number, not an object"),
        (b'{"maybe": ' + b"[" * 100_000, "maybe", "must be a whole number, not a list"),
    ],
)
def test_bad_json_is_refused(body: bytes, field: str | None, message: str) -> None:
    error = refused(read_json, Values, bytearray(body), Limits())
    assert error.field == field
    assert message in error.message


def test_positions_have_three_notations() -> None:
    position = Position("4453", board="6x5")
    for named in (
        {"moves": "4453", "board": "6x5"},
        {"key": str(position.key), "board": "6x5"},
        {"grid": str(position)},
        {"grid": str(position), "board": "6x5"},
    ):
        asked = read(OfPosition, named, Limits()).read()
        assert asked.position == position
        assert asked.board == BoardSize(6, 5)
        assert asked.moves == named.get("moves")
    assert read_board(UNSET) == BoardSize(7, 6)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "moves"),
        ({"moves": "4", "key": "1"}, "key"),
        ({"key": "4x"}, "key"),
        ({"key": str(1 << 64)}, "key"),
        ({"grid": "x" * 10_000}, "grid"),
        ({"grid": "...", "board": "7x6"}, "grid"),
        ({"moves": "", "board": "7" * 100_000}, "board"),
        ({"moves": "1" * 1_000_000}, "moves"),
    ],
)
def test_bad_positions_are_refused(values: dict[str, object], field: str) -> None:
    assert refused(lambda: read(OfPosition, values, Limits()).read()).field == field


def request_with(body: bytes, *pieces: bytes, **headers: str) -> Request:
    """A request whose body arrives in pieces."""
    waiting = [body, *pieces]

    async def receive() -> dict[str, Any]:
        if not waiting:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    app = SimpleNamespace(state=SimpleNamespace(service=Service(ServerSettings())))
    return Request({"type": "http", "headers": named, "app": app}, receive)


JSON = {"content_type": "application/json; charset=utf-8"}


def run(request: Request, **named: Any) -> int:  # noqa: ANN401
    return asyncio.run(read_object(request, Needed, most=20, **named)).number


def test_bodies_are_json_objects() -> None:
    assert run(request_with(b'{"number"', b": 1}", **JSON)) == 1
    assert run(request_with(b'{"number": 1}'), any_type=True) == 1


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (request_with(b"{}"), 415),
        (request_with(b"{}", content_type="text/plain"), 415),
        (request_with(b"{}", content_encoding="gzip", **JSON), 415),
        (request_with(b"[]", **JSON), 400),
        (request_with(b"{}", content_length="21", **JSON), 413),
        (request_with(b"{}", content_length="9" * 30, **JSON), 413),
        (request_with(b" " * 15, b" " * 15, b"{}", **JSON), 413),
    ],
)
def test_other_bodies_are_refused(request_: Request, status: int) -> None:
    with pytest.raises(ApiError) as caught:
        run(request_)
    assert caught.value.status == status
