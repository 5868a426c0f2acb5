"""Other engines, and the plot of the comparison."""

import shutil
from pathlib import Path

import pytest

from benchmarks.engine.solvers import BitBully
from benchmarks.page import DOCS
from benchmarks.record import RESULTS
from tests.support.running.benchmarks import run

GAMES = ["2252576253462244111563365343671351441", "52753311433677442422121", "271713432331713132"]


def test_other_engine_runs() -> None:
    rival = BitBully()
    assert rival.run(GAMES).scores == [-1, 8, -11]
    assert rival.run_columns(GAMES).scores == [-1, 8, -11]
    with pytest.raises(ValueError, match="cannot play"):
        rival.run(["1111111"])


def test_rendering_is_reproducible(tmp_path: Path) -> None:
    page = Path(shutil.copy(DOCS / "performance.md", tmp_path))
    for name in ("one", "two"):
        results = tmp_path / name
        results.mkdir()
        shutil.copy(RESULTS / "engine.json", results)
        run(results, "render", "--docs", str(tmp_path), "engine")
    assert page.read_text() == (DOCS / "performance.md").read_text()
    drawn = [(tmp_path / name / "performance.svg").read_bytes() for name in ("one", "two")]
    assert drawn[0] == drawn[1]
