"""Model files with a wrong description under a right checksum, or with a wrong header."""

import json
from collections.abc import Callable

import numpy as np
from safetensors.numpy import load, save

from c4core.models import files
from tests.support.hostile import Case

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


def epoch(name: str, answer: str = "Expected `float`", **numbers: object) -> Case:
    return having(name, answer, history=[{"epoch": 1, "seconds": 1} | numbers])


def with_header(header: bytes) -> Callable[[bytes], bytes]:
    """Make a file that consists of a header only."""
    return lambda _sample: len(header).to_bytes(8, "little") + header


def nested_description(sample: bytes) -> bytes:
    """Nest lists so deeply that Python's JSON reader fails, sooner if little stack is left."""
    text = '{"format": 1, "x": ' + "[" * 900 + "]" * 900 + "}"
    return bytes(save(load(sample), {"c4": text}))


def with_weight(number: float) -> Callable[[bytes], bytes]:
    """Fill the tensors with a number."""

    def filled(tensors: Tensors) -> Tensors:
        return {name: np.full_like(array, number) for name, array in tensors.items()}

    return lambda sample: crafted(sample, filled)


CASES = (
    having("no change, which is harmless", ""),
    having("a board of a number", r"Expected `str`, got `int` - at `\$.board`", board=5),
    having("an impossible board", "impossible board", board="19x9"),
    having("no board", "missing required field `board`", board=MISSING),
    having("a list for a kind", "Expected `str`, got `array`", kind=["cnn"]),
    having("an unknown kind", "Invalid enum value 'cnm'", kind="cnm"),
    having("a list for an architecture", "Expected `object`, got `array`", architecture=[]),
    having("an empty architecture", "its architecture has no channels", architecture={}),
    *(
        Case(f"a weight of {number}", with_weight(number), "model.*tensor 'weights.x' has a number")
        for number in (np.nan, np.inf, -np.inf)
    ),
    having("no settings", "Expected `object`, got `null`", settings=None),
    having("an object for a history", "Expected `array`, got `object`", history={}),
    having("a history of numbers", "damaged", history=[5]),
    having("an epoch without seconds", "no number or no time", history=[{"epoch": 1}]),
    epoch("an epoch of text", epoch="1"),
    epoch("seconds that are not a number", "damaged", seconds=float("nan")),
    epoch("a loss of 10**400", "damaged", loss=10**400),
    epoch("a loss of true", loss=True),
    epoch("a list for a loss", loss=[]),
    having("another format", "a model in format 9", format=9, kind="x"),
    Case("a description nested 900 deep", nested_description, "damaged"),
    Case(
        "a large header",
        with_header(b" " * (3 << 23)),
        "model, or is damaged: .*header",
        is_large=True,
    ),
    Case("no header", with_header(b""), "model, or is damaged: .*header"),
)
