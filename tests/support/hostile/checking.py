"""Compare the program's answer to a hostile input with the expected one."""

import importlib
import re
import tracemalloc

import pytest

from tests.release.fuzz.target import Target
from tests.support.hostile import Case

MEMORY = 12 << 20
"""Memory in bytes that checking a file may take. Careless readers would take 16 MB and more."""
LONGEST = 500
"""Longest answer, in characters; the answer quotes the input."""


def all_cases(*subjects: str) -> list[object]:
    """Test parameters: the hostile inputs of some subjects."""
    return [
        pytest.param(subject, case, id=f"{subject}: {case}")
        for subject in subjects
        for case in importlib.import_module(f"tests.support.hostile.{subject}").CASES
    ]


def check(target: Target, case: Case) -> None:
    """Pass an input to the program; check the answer and the memory used."""
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
