"""Model files with a wrong description under a right checksum, or with a wrong header."""

import json
from collections.abc import Callable

import numpy as np
from safetensors.numpy import load, save

from c4core.models import files
from c4core.models.files import MAX_HEADER, MAX_TENSORS, MAX_TEXT
from tests.support.hostile import Case
from tests.support.hostile.cards import nested

Tensors = dict[str, np.ndarray]

MISSING = ...
"""Marks a field to be removed."""


def crafted(
    sample: bytes, change: Callable[[Tensors], Tensors] = lambda tensors: tensors, **changes: object
) -> bytes:
    """A model with other tensors and other fields, and a right checksum."""
    header = json.loads(sample[8 : 8 + int.from_bytes(sample[:8], "little")])
    fields = json.loads(header["__metadata__"]["c4"]) | changes
    about = {name: value for name, value in fields.items() if value is not MISSING}
    tensors = change(load(sample))
    del about["sha256"]
    about["sha256"] = files._digest(about, tensors)
    return bytes(save(tensors, {"c4": json.dumps(about)}))


def having(name: str, answer: str, **fields: object) -> Case:
    return Case(name, lambda sample: crafted(sample, **fields), answer)


def epoch(name: str, answer: str = "an epoch cannot be", **numbers: object) -> Case:
    return having(name, answer, history=[{"epoch": 1, "seconds": 1} | numbers])


def with_header(header: bytes) -> Callable[[bytes], bytes]:
    """Make a file that consists of a header only."""
    return lambda _sample: len(header).to_bytes(8, "little") + header


def empty_tensors(number: int) -> Callable[[bytes], bytes]:
    tensor = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    tensors = {f"weights.{index}": tensor for index in range(number)}
    return with_header(json.dumps(tensors).encode())


def nested_description(sample: bytes) -> bytes:
    """Nest lists so deeply that Python's JSON reader fails, sooner if little stack is left."""
    text = '{"format": 1, "x": ' + "[" * 900 + "]" * 900 + "}"
    return bytes(save(load(sample), {"c4": text}))


def with_a_field_twice(sample: bytes) -> bytes:
    """Repeat a field, so that other programs would read another value."""
    header = json.loads(sample[8 : 8 + int.from_bytes(sample[:8], "little")])
    text = header["__metadata__"]["c4"].replace("{", '{"kind": "cnn", ', 1)
    return bytes(save(load(sample), {"c4": text}))


def with_weight(number: float) -> Callable[[bytes], bytes]:
    """Fill the tensors with a number."""

    def filled(tensors: Tensors) -> Tensors:
        return {name: np.full_like(array, number) for name, array in tensors.items()}

    return lambda sample: crafted(sample, filled)


CASES = (
    having("no change, which is harmless", ""),
    having("a board of a number", "board cannot be 5", board=5),
    having("an impossible board", "impossible board", board="19x9"),
    having("no board", "'board' is missing", board=MISSING),
    having("a list for a kind", r"kind cannot be \['cnn'\]", kind=["cnn"]),
    having("a list for an architecture", r"architecture cannot be \[\]", architecture=[]),
    having("an empty architecture", "its architecture has no channels", architecture={}),
    Case("a field twice", with_a_field_twice, "an object has the field 'kind' twice"),
    Case(
        "a description twice",
        with_header(b'{"__metadata__": {"c4": "", "c4": ""}}'),
        "model.*an object has the field 'c4' twice",
    ),
    *(
        Case(f"a weight of {number}", with_weight(number), "model.*tensor 'weights.x' has a number")
        for number in (np.nan, np.inf, -np.inf)
    ),
    having("no settings", "settings cannot be None", settings=None),  # words: ok
    having("an object for a history", r"history cannot be \{\}", history={}),
    having("a history of numbers", "damaged", history=[5]),
    having("an epoch without seconds", "'seconds' is missing", history=[{"epoch": 1}]),
    epoch("an epoch of text", epoch="1"),
    epoch("seconds that are not a number", "NaN is not JSON", seconds=float("nan")),
    epoch("infinite seconds", "Infinity is not JSON", seconds=float("inf")),
    epoch("too many seconds", r"cannot take 10000000000000\.0 seconds", seconds=1e13),
    epoch("a loss that is not a number", "NaN is not JSON", loss=float("nan")),
    epoch("a loss of 10**400", loss=10**400),
    epoch("a loss of -10**400", loss=-(10**400)),
    epoch("a loss of 1e301", loss=1e301),
    epoch("a loss of true", loss=True),
    epoch("a list for a loss", loss=[]),
    having("a format of true", "is a damaged model", format=True),
    having("a long description", "is a damaged model", settings={"x": "x" * MAX_TEXT}),
    having("settings nested 98 deep, which is harmless", "", settings={"x": nested(98)}),
    having("settings nested 99 deep", "nested more than 100 deep", settings={"x": nested(99)}),
    having("settings nested 800 deep", "nested more than 100 deep", settings={"x": nested(800)}),
    Case("a description nested 900 deep", nested_description, "damaged"),
    Case(
        "a large header",
        with_header(b" " * 3 * MAX_HEADER),
        "its header is larger than 8,388,608 bytes",
        is_large=True,
    ),
    Case(
        "too many tensors",
        empty_tensors(MAX_TENSORS + 1),
        f"it has more than {MAX_TENSORS:,} tensors",
    ),
    Case("as many tensors as there may be", empty_tensors(MAX_TENSORS), "is not a c4 model"),
)
