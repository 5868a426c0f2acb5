"""Data cards, and the display of accepted ones."""

import io
import json
from contextlib import redirect_stdout, suppress
from functools import cache
from pathlib import Path
from random import Random

from c4core.dataset.reading import inspect
from c4core.dataset.writing import check_free
from c4core.errors import DatasetError, DatasetExistsError
from cli.commands.dataset.files import _show
from tests.release.fuzz.datasets import small_dataset
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.target import Target
from tests.support.hostile.cards import CASES

SMALL = 1 << 16
"""Larger hostile inputs are not changed."""
WORDS = (
    b"\\ud800",
    b"1e400",
    b"NaN",
    b"[" * 2000,
    b'"',
    b"{",
    b"\x1b",
    b"9" * 5000,
    b"../",
    b"null",
)


def prepare(directory: Path) -> Target:
    """The target."""
    small_dataset(directory, "jsonl")
    path = directory / "card.json"
    text = path.read_bytes()
    sample = json.loads(text)

    @cache
    def seeds() -> list[bytes]:
        return [data for case in CASES if len(data := case.make(text)) < SMALL]

    def make(chance: Random) -> bytes:
        if chance.random() < 0.3:
            return mutated(chance, chance.choice((text, text, chance.choice(seeds()))), WORDS)
        return mutated_text(chance, sample)

    def run(data: bytes) -> list[str]:
        path.write_bytes(data)
        with suppress(DatasetExistsError):
            check_free(directory, command="c4", formats=["npz"])
        found = inspect(directory)
        with redirect_stdout(io.StringIO()):
            _show(str(directory), found.card)
        return found.problems + inspect(directory / "test.jsonl").problems

    return Target(make, run, (DatasetError,), hostile=CASES, sample=text)
