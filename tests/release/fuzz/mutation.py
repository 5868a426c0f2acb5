"""Mutations of valid samples: of bytes, and of JSON values."""

import copy
import json
from collections.abc import Sequence
from random import Random
from typing import Any

NUMBERS = (
    0, 1, 2, 7, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1,
)  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2, 63, 64, 1.5, -0.0, 1e308, float("nan"), float("inf"),
    2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 2**64, 10**30, 10**400,
    "", "0", "-1", "x", "7x6", "9x9", "1" * 100, "a" * 5000, "\x00", "\x1b]0;x\x07", "\ud800",
    "\u0661", "é", "../x", "/etc/passwd", "nan", "1e9", [], {}, [[]], [None], [0] * 100, {"": {}},
)  # fmt: skip


def mutated(chance: Random, sample: bytes, words: Sequence[bytes] = ()) -> bytes:
    """A sample with one to eight changes; some insert words of the sample's format."""
    data = bytearray(sample)
    for _ in range(chance.choice((1, 1, 1, 2, 3, 5, 8))):
        place = chance.randrange(len(data) + 1)
        span = slice(place, place + chance.choice((1, 1, 2, 4, 8, 30, 200)))
        match chance.randrange(9):
            case 0 | 1 if data:
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            case 2 if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
            case 3:
                width = chance.choice((1, 2, 4, 8))
                number = chance.choice(NUMBERS) % (1 << 8 * width)
                order = chance.choice(("little", "big"))
                data[place : place + width] = number.to_bytes(width, order)
            case 4:
                del data[span]
            case 5:
                data[place:place] = data[span]
            case 6 if words:
                data[place:place] = chance.choice(words)
            case 7:
                del data[place:]
            case _:
                data[span] = chance.randbytes(span.stop - span.start)
    return bytes(data)


def mutated_json(chance: Random, sample: Any) -> Any:  # noqa: ANN401
    """A JSON value with one to three of its parts replaced, removed or repeated."""
    value = copy.deepcopy(sample)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        parent, name = _place(chance, value)
        if parent is None:
            return chance.choice(ODD)
        match chance.randrange(8):
            case 0 if isinstance(parent, dict):
                del parent[name]
            case 1 if isinstance(parent, list):
                parent.insert(name, copy.deepcopy(parent[name]))
            case 2 if isinstance(parent, dict):
                parent[chance.choice(("", "x", "id", "__class__", "\x00"))] = parent[name]
            case 3:
                parent[name] = [parent[name]]
            case 4 if isinstance(parent[name], int):
                parent[name] += chance.choice((-1, 1, 2**31, -(2**62)))
            case 5 if isinstance(parent[name], str):
                text = mutated(chance, parent[name].encode(errors="surrogatepass"))
                parent[name] = text.decode(errors="replace")
            case _:
                parent[name] = copy.deepcopy(chance.choice(ODD))
    return value


def mutated_text(chance: Random, sample: Any) -> bytes:  # noqa: ANN401
    """The text of a JSON value, changed as a value, as a text, or as both."""
    kind = chance.randrange(8)
    value = sample if kind == 0 else mutated_json(chance, sample)
    if kind == 1:
        depth = chance.choice((10, 900, 1100, 100_000))
        return b"[" * depth + b"]" * chance.choice((0, depth))
    text = json.dumps(value, ensure_ascii=chance.random() < 0.5)
    data = text.encode(errors="surrogatepass")
    return mutated(chance, data) if kind in {0, 2} else data


def _place(chance: Random, value: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """A random place in a value: its container and its key; None if there is none."""
    parent, name = None, None
    while isinstance(value, dict | list) and value:
        if parent is not None and chance.random() < 0.3:
            break
        parent = value
        name = chance.choice(list(value) if isinstance(value, dict) else range(len(value)))
        value = parent[name]
    return parent, name
