"""JSON Lines parts of data sets: rows of wrong types, too long, or with other fields."""

import json
from typing import Any

from tests.support.hostile import Case
from tests.support.hostile.cards import nested

NO_ROW = r"not a JSON Lines data set"
EMPTY_LISTS = b'{"planes": [' + b"[]," * 999 + b"[]]}\n"


def having(name: str, answer: str, **fields: Any) -> Case:  # noqa: ANN401
    """A single row, which is the sample's first row with other fields."""

    def make(sample: bytes) -> bytes:
        row = json.loads(sample.splitlines()[0])
        return json.dumps(row | fields).encode() + b"\n"

    return Case(name, make, answer)


def one_long_text(_sample: bytes) -> bytes:
    """One long text; in an array, every other text would become as long."""
    row = json.dumps({"moves": "1"}) + "\n"
    return (row * 10_000 + json.dumps({"moves": "1" * 4000}) + "\n").encode()


CASES = (
    having("a long line of moves", r"line 1: .*Expected `str` of length <= 64", moves="1" * 100),
    having("moves as a number", "Expected `str`, got `int`", moves=5),
    having("a line of 5,000 bytes", "line 1: .*longer than 4,096 bytes", moves="1" * 5000),
    having("moves beyond ASCII", "can't encode", moves="é"),
    having("a fraction", r"Expected `int`, got `float` - at `\$.ply`", ply=1.5),
    having("true for a number", "Expected `int`, got `bool`", ply=True),
    having("not a number", NO_ROW, ply=float("nan")),
    having("a large number", "integer 256 out of bounds for uint8", ply=256),
    having("a negative number", "integer -1 out of bounds for uint8", ply=-1),
    having("a large key", NO_ROW, key=1 << 64),
    having("a list for a key", "Expected `int`, got `array`", key=[]),
    having("a negative key", NO_ROW, key=-1),
    having("planes without a shape", NO_ROW, planes=[[1], [1, 2]]),
    having("nested 900 deep", NO_ROW, planes=nested(900)),
    having("a foreign column", "line 1: .*contains unknown field `more`", more=1),
    having("no scores", NO_ROW, column_scores=None),
    Case(
        "a field that the first line does not have",
        lambda _: b'{"ply": 1}\n{"side": 1}\n',
        "line 2: .*not all lines have a field ply",
    ),
    Case("one long text", one_long_text, "Expected `str` of length <= 64", is_large=True),
    Case("many empty lists", lambda _: EMPTY_LISTS, "no column|no keys", is_large=True),
)
