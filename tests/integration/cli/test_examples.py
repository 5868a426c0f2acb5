"""The examples of the help texts run in this process, with smaller numbers.

tests/release/extras/test_examples.py runs them unchanged.
"""

import shutil
from pathlib import Path

import pytest

from tests.support.examples import (
    ELSEWHERE,
    WITH_EXTRAS,
    check,
    examples,
    prepare,
    ready_for,
    run_here,
)
from tests.support.running.command_line import C4

SMALLER = {
    "--from book --count 2000": "--from book --board 5x4 --book small.c4book --count 20",
    "--count 1000": "--count 50",
    "--count 500": "--count 50",
    "--from plies --plies 18..30": "--from plies --plies 34.. --count 50",
    "--board 5x4 --plies 8": "--board 5x4 --plies 4",
    "--board 5x4 --plies 10": "--board 5x4 --plies 6",
    "count --board 5x5": "count --board 4x4",
    "count --board 5x4": "count --board 4x4",
    "deep --board 6x5": "deep --board 5x4",
    "--games 50": "--games 6",
    "--games 30": "--games 6",
    "--games 20": "--games 6",
    "--games 10": "--games 2",
}
"""Numbers that affect only the time."""

EXAMPLES = [
    each for each in examples() if not ELSEWHERE.search(each) and not WITH_EXTRAS.search(each)
]


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Use the shipped book, as users do: it makes some examples quick."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> C4:
    c4 = C4(tmp_path_factory.mktemp("examples"))
    prepare(c4)
    return c4


def test_each_smaller_number_occurs_in_an_example() -> None:
    assert [number for number in SMALLER if not any(number in each for each in examples())] == []


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_runs(prepared: C4, tmp_path: Path, example: str) -> None:
    for number, smaller in SMALLER.items():
        example = example.replace(number, smaller)
    c4 = C4(tmp_path / "copy")
    shutil.copytree(prepared.directory, c4.directory)
    ready_for(c4, example)
    check(example, run_here(c4, example))
