"""The examples of the help texts that need PyTorch or pyarrow."""

import re
import shutil
from pathlib import Path

import pyarrow.parquet  # noqa: F401
import pytest
import torch  # noqa: F401

from c4core.notation import DEFAULT_BOARD
from tests.support.boards.learning import write_dataset
from tests.support.examples import check, examples, prepare, ready_for, run_here
from tests.support.running.command_line import C4

EXTRA = re.compile(r"c4 learn\b|[.]parquet\b")
SMALLER = ("--games 2000 --epochs 5", "--games 200 --epochs 2")
"""Numbers that only time depends on."""


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Here there is one, as for users: it makes some examples quick."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> C4:
    c4 = C4(tmp_path_factory.mktemp("examples"))
    prepare(c4)
    write_dataset(c4.directory / "positions", board=DEFAULT_BOARD, count=40, least_ply=24)
    model = ("-o", "model.safetensors", "--games", "200", "--epochs", "1", "-q")
    assert c4("learn", "train", "cnn", *model).code == 0
    return c4


def test_the_smaller_numbers_are_those_of_an_example() -> None:
    assert any(SMALLER[0] in example for example in examples())


@pytest.mark.parametrize("example", [each for each in examples() if EXTRA.search(each)])
def test_an_example_runs(prepared: C4, tmp_path: Path, example: str) -> None:
    c4 = C4(tmp_path / "copy")
    shutil.copytree(prepared.directory, c4.directory)
    ready_for(c4, example)
    check(example, run_here(c4, example.replace(*SMALLER)))
