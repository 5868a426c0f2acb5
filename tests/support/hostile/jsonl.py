"""JSON Lines parts of data sets: rows of wrong types, too long, or with other fields."""

import json
from typing import Any

from tests.support.hostile import Case
from tests.support.hostile.cards import nested

NO_ROW = r"not a JSON Lines data set"
EMPTY_LISTS = b'{"planes": [' + b"[]," * 999 + b"[]]}\n"
NO_NUMBER = "column key has an entry that is not a whole number"

NESTED = json.loads('{"x":' * 300 + "1" + "}" * 300)


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
    having("a long line of moves", "line 1: .*not a text, or is too long", moves="1" * 100),
    having("moves as a number", "not a text, or is too long", moves=5),
    having("a line of 5,000 bytes", "line 1: .*longer than 4,096 bytes", moves="1" * 5000),
    having("moves beyond ASCII", "can't encode", moves="é"),
    having("a fraction", "column ply is of type float64", ply=1.5),
    having("true for a number", "column ply is of type bool", ply=True),
    having("not a number", "NaN is not JSON", ply=float("nan")),
    having("a large number", "column ply has a number that is out of range", ply=256),
    having("a negative number", "column ply has a number that is out of range", ply=-1),
    having("a large key", "column key has a number that is out of range", key=1 << 64),
    having("a list for a key", NO_NUMBER, key=[]),
    having("true for a key", NO_NUMBER, key=True),
    having("a float for a key", NO_NUMBER, key=1.0),
    having("a negative key", "column key has a number that is out of range", key=-1),
    having("planes without a shape", NO_ROW, planes=[[1], [1, 2]]),
    having("nested 900 deep", NO_ROW, planes=nested(900)),
    having("objects nested 300 deep", "column ply is of type object", ply=NESTED),
    having("a foreign column", "line 1: .*an unknown column 'more'", more=1),
    having("no scores", NO_ROW, column_scores=None),
    Case(
        "a field that the first line does not have",
        lambda _: b'{"ply": 1}\n{"side": 1}\n',
        "line 2: .*a field 'side' that the first",
    ),
    Case("one long text", one_long_text, "not a text, or is too long", is_large=True),
    Case("many empty lists", lambda _: EMPTY_LISTS, "planes", is_large=True),
)
