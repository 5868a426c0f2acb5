"""Parts of data sets as JSON Lines."""

import json
from pathlib import Path
from random import Random

from tests.release.fuzz.datasets import answers, small_dataset
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.hostile.jsonl import CASES

WORDS = (b"\n", b"null", b"1.5", b"-1", b"999", b'""', b"[]", b"{}", b"\xff", b"NaN", b"1" * 5000)


def prepare(directory: Path) -> Target:
    """The target."""
    path = small_dataset(directory, "jsonl")
    sample = path.read_bytes()
    lines = sample.splitlines()

    def make(chance: Random) -> bytes:
        changed = list(lines)
        for _ in range(chance.choice((0, 1, 1, 2))):
            place = chance.choice((0, chance.randrange(len(lines))))
            changed[place] = mutated_text(chance, json.loads(lines[place])).replace(b"\n", b" ")
        data = b"\n".join(changed) + b"\n"
        return mutated(chance, data, WORDS) if chance.random() < 0.3 else data

    def run(data: bytes) -> list[str]:
        path.write_bytes(data)
        return answers(directory, path)

    return Target(make, run, hostile=CASES, sample=sample)
