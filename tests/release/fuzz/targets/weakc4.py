"""Solutions in WeakC4's two files. Accepted solutions prove a true claim."""

import json
from pathlib import Path
from random import Random

from c4core.errors import WeakC4Error
from c4core.position import Position
from c4core.proof import Certificate
from c4core.proof.weakc4 import certificate_of, check, read_solution
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.weakc4 import small_solution

START = Position("1211", width=4, height=5)
BETWEEN = b"\n----\n"
WORDS = (
    b"[" * 2000, b"{", b'"', b"\\ud800", b"1e400", b"NaN", b"9" * 5000, b"-1", b"true", b"null",
)  # fmt: skip


def prepare_weakc4(directory: Path) -> Target:
    """A case is the two files, one after the other."""
    samples = small_solution(START)
    paths = directory / "entries.json", directory / "diagrams.json"

    def make(chance: Random) -> bytes:
        texts = [json.dumps(sample).encode() for sample in samples]
        changed = chance.randrange(2)
        if chance.random() < 0.5:
            texts[changed] = mutated(chance, texts[changed], WORDS)
        else:
            texts[changed] = mutated_text(chance, samples[changed])
        return BETWEEN.join(texts)

    def run(data: bytes) -> None:
        entries, _, diagrams = data.partition(BETWEEN)
        for path, text in zip(paths, (entries, diagrams), strict=True):
            path.write_bytes(text)
        checked = check(read_solution(*paths, board=START.board), START)
        Certificate(certificate_of(checked)).check()

    return Target(make, run, (WeakC4Error,))
