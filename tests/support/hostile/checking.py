"""Give a hostile file to the program, and compare its answer with the expected one."""

import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from c4core.errors import DatasetError
from tests.support.hostile import Case
from tests.support.hostile.small import answers, small_dataset

MEMORY = 12 << 20
"""Memory in bytes that checking a file may take. Careless readers would take 16 MB and more."""
LONGEST = 500
"""Longest answer, in characters; the answer quotes the input."""


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
        except DatasetError as error:
            return [str(error)]


def reader(subject: str, directory: Path) -> Reader:
    """Prepare the reader of a kind of files in an empty directory."""
    path = small_dataset(directory, subject)
    return Reader(path, path.read_bytes(), lambda: answers(directory, path))


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
