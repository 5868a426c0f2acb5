"""The examples in docs/adapters.md run unchanged, from top to bottom."""

from pathlib import Path

import pytest

from tests.support.running.console import blocks

PAGE = Path(__file__).parents[4] / "docs" / "adapters.md"


def test_examples_run(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    shown = blocks(PAGE, "python")
    assert len(shown) == 5
    for block in shown:
        exec(block, names)  # noqa: S102 (a page of this project)
    assert capsys.readouterr().out.strip().endswith("]")  # both bots' results
