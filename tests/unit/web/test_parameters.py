"""Reading parameters: valid values, and errors about all others."""

import asyncio
import math
from typing import Annotated, Any

import pytest
from msgspec import UNSET, Meta, UnsetType
from starlette.requests import Request

from c4core.notation import BoardSize
from c4core.position import Position
from web import parameters
from web.bodies import HELD, MemoryQuota, RequestMemory, parse_json, read_object
from web.parameters import (
    Budget,
    Moves,
    Parameters,
    one_of,
    read as read_all,
    read_board,
    read_position,
)
from web.responses import ApiError
from web.settings import Limits


class Values(Parameters):
    text: Annotated[str, Meta(max_length=3)] = "x"
    long: str = ""
    whole: Annotated[int, Meta(ge=-2, le=9)] = 1
    maybe: Annotated[int, Meta(ge=1, le=9)] | None = None
    budget: Budget = 2
    flag: bool = False
    choice: Annotated[str | None, one_of(("a", "b"), "A letter.")] = None
    moves: Moves = ""
    later: int | UnsetType = UNSET


class Needed(Parameters):
    number: Annotated[int, Meta(ge=1, le=9, extra={"missing": "it is the number"})]
    other: Annotated[int, Meta(ge=1, le=9)]


def read_values(values: dict[str, object], budget: float = 30) -> Values:
    return read_all(Values, values, Limits(budget_seconds=budget))


def test_a_struct_is_read_with_its_defaults() -> None:
    found = read_values({})
    assert (found.text, found.whole, found.maybe, found.flag) == ("x", 1, None, False)
    assert (found.choice, found.moves, found.later) == (None, "", UNSET)
    sent = {"text": "abc", "whole": "-2", "maybe": 9, "flag": "yes", "choice": "b", "moves": "44"}
    found = read_values(sent)
    assert (found.text, found.whole, found.maybe, found.flag) == ("abc", -2, 9, True)
    assert (found.choice, found.moves) == ("b", "44")
    assert read_values({"later": ["as it was sent"]}).later == ["as it was sent"]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"text": "abcd"}, "text has 4 characters, the limit is 3"),
        ({"whole": -3}, "whole must be from -2 to 9, not -3"),
        ({"maybe": None}, "maybe must be a whole number, not null"),
        ({"flag": 3}, "flag must be true or false, not 3"),
        ({"choice": "c"}, 'choice must be one of: a, b; not "c"'),
        ({"moves": 4}, "moves must be text, not 4"),
        ({"moves": "1" * 1100}, "moves has 1100 characters, too many for any board"),
    ],
)
def test_bad_fields_are_refused(values: dict[str, object], message: str) -> None:
    error = refused(read_values, values)
    assert (error.status, error.message, error.field) == (400, message, next(iter(values)))


def test_missing_and_unknown_fields_are_refused() -> None:
    error = refused(read_all, Needed, {"other": 1}, Limits())
    assert (error.message, error.field) == ("number is missing: it is the number", "number")
    error = refused(read_all, Needed, {"number": 1}, Limits())
    assert (error.message, error.field) == ("other is missing", "other")
    error = refused(read_all, Needed, {"number": 1, "x": 1}, Limits())
    assert error.message == 'unknown parameter "x"; known here: number, other'


def refused(call: Any, *arguments: Any) -> ApiError:  # noqa: ANN401
    with pytest.raises(ApiError) as caught:
        call(*arguments)
    return caught.value


NO_INTEGERS = [0, 10, "10", 10**30, "9" * 400, "5.0", "", " 5", 5.0, True, None, [5], "1e3"]


def test_integers_are_read_and_others_refused() -> None:
    for good in (5, "5", "+5", "05"):
        assert parameters.whole(good, "n", 1, 9) == 5
    for bad in (*NO_INTEGERS, "\N{ARABIC-INDIC DIGIT FIVE}"):
        error = refused(parameters.whole, bad, "n", 1, 9)
        assert (error.status, error.field) == (400, "n"), bad
        assert len(error.message) < 120


NO_NUMBERS = ["nan", "inf", "-0.1", "2.1", math.nan, math.inf, "1e400", True, "0x1", "1_0", {}]


def test_numbers_are_read_and_others_refused() -> None:
    for good, number in (("0.5", 0.5), (".5", 0.5), (1, 1.0), ("1e0", 1.0)):
        assert parameters.number(good, "n", 0, 2) == number
    for bad in (*NO_NUMBERS, 10**400):
        assert refused(parameters.number, bad, "n", 0, 2).field == "n"


def test_flags_and_choices() -> None:
    assert read_board(UNSET) == BoardSize(7, 6)
    assert parameters.flag("TRUE", "f")
    assert not parameters.flag(False, "f")
    assert refused(parameters.flag, 1, "f").field == "f"
    assert parameters.choice("b", "c", ("a", "b")) == "b"
    assert "one of: a, b" in refused(parameters.choice, "d", "c", ("a", "b")).message


def test_texts_that_cannot_be_stored_are_refused() -> None:
    for value in ("\0", "\ud800", "x" * 1001, 5, None):
        assert refused(read_values, {"long": value}).field == "long"


def test_a_budget_has_a_limit() -> None:
    assert read_values({}).budget == 2
    assert read_values({}, budget=1).budget == 1
    assert read_values({"budget": "30"}).budget == 30
    assert refused(read_values, {"budget": "30.1"}).field == "budget"


def test_positions_have_three_notations() -> None:
    position = Position("4453", width=6, height=5)
    for named in (
        {"moves": "4453", "board": "6x5"},
        {"key": str(position.key), "board": "6x5"},
        {"key": position.key, "board": "6x5"},
        {"grid": str(position)},
        {"grid": str(position), "board": "6x5"},
    ):
        asked = read_position(named)
        assert asked.position == position
        assert asked.board == BoardSize(6, 5)
        assert asked.moves == named.get("moves")


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({}, "moves"),
        ({"moves": 4}, "moves"),
        ({"moves": "4", "key": "1"}, "key"),
        ({"moves": None}, "moves"),
        ({"key": "4x"}, "key"),
        ({"key": True}, "key"),
        ({"key": 1 << 64}, "key"),
        ({"grid": []}, "grid"),
        ({"grid": "x" * 10_000}, "grid"),
        ({"grid": "...", "board": "7x6"}, "grid"),
        ({"moves": "", "board": 7}, "board"),
        ({"moves": "", "board": "7" * 100_000}, "board"),
        ({"moves": "1" * 1_000_000}, "moves"),
    ],
)
def test_bad_positions_are_refused(values: dict[str, object], field: str) -> None:
    error = refused(read_position, values)
    assert (error.status, error.field) == (400, field)
    assert len(error.message) < 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "not JSON: Expecting property name"),
        (b"\xff", "not UTF-8, at byte 0"),
        (b'{"a": NaN}', "NaN is not JSON"),
        (b'{"a": 1e999}', "out of range"),
        (b'{"a": 1, "a": 2}', "an object has the field 'a' twice"),
        (b'{"a": {"b": 1, "c": 2, "b": 1}}', "an object has the field 'b' twice"),
        (b"[" * 200 + b"]" * 200, "nested more than 100 deep"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "not JSON"),
        (b"", "not JSON"),
    ],
)
def test_bad_json_is_refused(body: bytes, message: str) -> None:
    assert message in refused(parse_json, body).message


def request_with(body: bytes, *pieces: bytes, **headers: str) -> Request:
    """A request whose body arrives in pieces."""
    waiting = [body, *pieces]

    async def receive() -> dict[str, Any]:
        if not waiting:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    holding = RequestMemory(MemoryQuota(1_000, 1_000), "a client")
    return Request({"type": "http", "headers": named, HELD: holding}, receive)


JSON = {"content_type": "application/json; charset=utf-8"}


def run(request: Request, **named: Any) -> dict[str, object]:  # noqa: ANN401
    return asyncio.run(read_object(request, Limits(body_bytes=20), **named))


def test_bodies_are_json_objects() -> None:
    assert run(request_with(b'{"a"', b": 1}", **JSON)) == {"a": 1}
    assert run(request_with(b'{"a": 1}'), any_type=True) == {"a": 1}


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
    assert refused(run, request_).status == status
