"""Give a hostile file to the program, and compare its answer with the expected one."""

import importlib
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from c4core.dataset.reading import inspect
from c4core.errors import DatasetError, ModelError
from c4core.models.files import Model, read_model, write_model
from c4core.notation import BoardSize
from tests.support.hostile import Case
from tests.support.hostile.small import answers, small_dataset

MEMORY = 12 << 20
"""Memory in bytes that checking a file may take. Careless readers would take 16 MB and more."""
LONGEST = 500
"""Longest answer, in characters; the answer quotes the input."""
ABOUT = {
    "kind": "residual",
    "board": BoardSize(5, 4),
    "architecture": {"channels": 8, "blocks": 1, "hidden": 8},
    "settings": {"seed": 1},
    "history": [{"epoch": 1, "loss": 0.5, "seconds": 0.1}],
}


class Reader(NamedTuple):
    """A file that the program reads."""

    path: Path
    sample: bytes
    """Its valid content, from which hostile content is made."""
    read: Callable[[], list[str]]
    """Lets the program read the file; returns its answer."""

    def answer(self, data: bytes) -> list[str]:
        self.path.write_bytes(data)
        try:
            return self.read()
        except (DatasetError, ModelError) as error:
            return [str(error)]


def reader(subject: str, directory: Path) -> Reader:
    """Prepare the reader of a kind of files in an empty directory."""
    if subject == "cards":
        part, path = small_dataset(directory, "jsonl"), directory / "card.json"
        return Reader(
            path,
            path.read_bytes(),
            lambda: inspect(directory).problems + inspect(part).problems,
        )
    if subject == "modelfiles":
        path = directory / "model"
        write_model(path, Model(**ABOUT, weights={"x": np.zeros(3, dtype=np.float32)}))
        return Reader(path, path.read_bytes(), lambda: read_model(path) and [])
    path = small_dataset(directory, subject)
    return Reader(path, path.read_bytes(), lambda: answers(directory, path))


def all_cases(*subjects: str) -> list[object]:
    """Test parameters: the hostile inputs of some subjects."""
    return [
        pytest.param(subject, case, id=f"{subject}: {case}")
        for subject in subjects
        for case in importlib.import_module(f"tests.support.hostile.{subject}").CASES
    ]


def check(of: Reader, case: Case) -> None:
    """Pass an input to the program; check the answer and the memory used."""
    data = case.make(of.sample)
    if case.is_large:
        tracemalloc.start()
    try:
        answer = of.answer(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert bool(answer) == bool(case.answer)
    for line in answer:
        assert re.search(case.answer, line), line
        assert len(line) < LONGEST
    assert peak < MEMORY
