"""The lines of batches: every line has an answer."""

import io
import json
from pathlib import Path
from random import Random

from c4core.lines import MAX_NESTED, BadLine, is_too_deep, read_lines
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.sizes import random_position
from tests.release.fuzz.target import Target

WORDS = (
    b"\n",
    b"\r\n",
    b"{",
    b'"',
    b"\\u0000",
    b"\xef\xbb\xbf",
    b"\xff",
    b"0" * 5000,
    b"1" * 70_000,
)


def _nested(depth: int) -> object:
    value: object = []
    for _ in range(depth - 1):
        value = [value]
    return value


def _line(chance: Random) -> bytes:
    position = random_position(chance, 7, 6)
    sample = chance.choice(
        (
            {"moves": "4453", "id": chance.randrange(100)},
            {"grid": str(position), "board": "7x6"},
            {"key": position.key, "id": None, "more": [1]},
            {"moves": "4453", "id": _nested(chance.choice((2, MAX_NESTED - 1, MAX_NESTED, 150)))},
        )
    )
    return b"4453" if chance.random() < 0.1 else mutated_text(chance, sample).replace(b"\n", b" ")


def make(chance: Random) -> bytes:
    data = b"\n".join(_line(chance) for _ in range(chance.choice((1, 1, 2, 5))))
    return mutated(chance, data, WORDS) if chance.random() < 0.3 else data


def run(data: bytes) -> None:
    answers = list(read_lines(io.BytesIO(data), board=DEFAULT_BOARD))
    assert [answer.line for answer in answers] == list(range(1, len(answers) + 1))
    assert len(answers) == data.count(b"\n") + (bool(data) and not data.endswith(b"\n"))
    for answer in answers:
        json.dumps(answer.id)
        assert not is_too_deep(answer.id)
        if isinstance(answer, BadLine):
            assert answer.error
        else:
            assert isinstance(answer.position, Position)


def prepare(_: Path) -> Target:
    """The target."""
    return Target(make, run)
