"""Data cards, and what is shown of those that are taken."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout, suppress
from typing import TYPE_CHECKING

from c4core.dataset.directory import check_free
from c4core.dataset.errors import DatasetError, DatasetExistsError
from c4core.dataset.inspection import inspect
from cli.dataset.info import _show
from tests.release.fuzz.datasets import small_dataset
from tests.release.fuzz.mutation import mutated, mutated_text
from tests.release.fuzz.target import Target

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

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

    def make(chance: Random) -> bytes:
        if chance.random() < 0.3:
            return mutated(chance, text, WORDS)
        return mutated_text(chance, sample)

    def run(data: bytes) -> None:
        path.write_bytes(data)
        with suppress(DatasetExistsError):
            check_free(directory, command="c4", formats=["npz"])
        found = inspect(directory)
        with redirect_stdout(io.StringIO()):
            _show(str(directory), found.card)
        inspect(directory / "test.jsonl")

    return Target(make, run, (DatasetError,))
