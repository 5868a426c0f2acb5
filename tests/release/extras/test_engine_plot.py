"""Rivals of the engine, and the picture of the comparison."""

import shutil
from pathlib import Path

import pytest

from benchmarks.engine.solvers import BitBully
from benchmarks.page import DOCS, RESULTS
from tests.support.running.benchmarks import run

GAMES = ["2252576253462244111563365343671351441", "52753311433677442422121", "271713432331713132"]


def test_rival_runs() -> None:
    rival = BitBully()
    assert rival.run(GAMES).scores == [-1, 8, -11]
    assert rival.run_columns(GAMES).scores == [-1, 8, -11]
    assert rival.ready("") == rival.ready("")
    with pytest.raises(ValueError, match="cannot play"):
        rival.ready("1111111")


def test_report_fills_the_page_and_draws_the_same_twice(tmp_path: Path) -> None:
    page = tmp_path / "performance.md"
    shutil.copy(DOCS / "performance.md", page)
    for name in ("one", "two"):
        figures, plot = str(RESULTS / "performance.json"), str(tmp_path / name)
        run("", "report", figures, "--page", str(page), "--plot", plot)
    assert page.read_text() == (DOCS / "performance.md").read_text()
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert (tmp_path / "one.png").stat().st_size > 0
