"""Compares what the program says of a hostile input with what it should say."""

import importlib
import re
import tracemalloc

import pytest

from tests.release.fuzz.target import Target
from tests.support.hostile import Case

MEMORY = 12 << 20
"""Bytes that looking at a file may take. Careless readers would take 16 MB and more."""
LONGEST = 500
"""Characters of an answer, which quotes the input."""


def all_cases(*subjects: str) -> list[object]:
    """The parameters of a test: the hostile inputs of some subjects."""
    return [
        pytest.param(subject, case, id=f"{subject}: {case}")
        for subject in subjects
        for case in importlib.import_module(f"tests.support.hostile.{subject}").CASES
    ]


def check(target: Target, case: Case) -> None:
    """Hand in an input, and look at the answer and at the memory that it took."""
    data = case.make(target.sample)
    if case.is_large:
        tracemalloc.start()
    try:
        answer = target.answer(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert bool(answer) == bool(case.answer)
    for line in answer:
        assert re.search(case.answer, line), line
        assert len(line) < LONGEST
    assert peak < MEMORY
