"""The examples of the help texts and of docs/adapters.md run unchanged."""

import shutil
from pathlib import Path

import pyarrow.parquet  # noqa: F401 (an example writes such a file)
import pytest
import torch  # noqa: F401 (examples train)

from c4core.notation import DEFAULT_BOARD
from tests.support.boards.learning import write_dataset
from tests.support.examples import ELSEWHERE, check, examples, prepare, ready_for
from tests.support.running.command_line import C4, ROOT
from tests.support.running.console import blocks


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> C4:
    c4 = C4(tmp_path_factory.mktemp("examples"))
    prepare(c4)
    write_dataset(c4.directory / "positions", board=DEFAULT_BOARD, count=40, least_ply=24)
    model = ("-o", "model.safetensors", "--games", "200", "--epochs", "1", "-q")
    assert c4("learn", "train", "cnn", *model).code == 0
    return c4


@pytest.mark.parametrize("example", [each for each in examples() if not ELSEWHERE.search(each)])
def test_an_example_runs(prepared: C4, tmp_path: Path, example: str) -> None:
    c4 = C4(tmp_path / "copy")
    shutil.copytree(prepared.directory, c4.directory)
    ready_for(c4, example)
    check(example, c4.shell(example))


def test_examples_of_the_adapters_run(capsys: pytest.CaptureFixture[str]) -> None:
    """The blocks of the page run from top to bottom."""
    names: dict[str, object] = {}
    shown = blocks(ROOT / "docs" / "adapters.md", "python")
    assert len(shown) == 5
    for block in shown:
        exec(block, names)  # noqa: S102 (a page of this project)
    assert capsys.readouterr().out.strip().endswith("]")  # both bots' results
