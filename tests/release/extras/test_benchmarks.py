"""Benchmarks that need optional packages: other engines, plots, and learning."""

import shutil
from pathlib import Path

import pytest

from benchmarks.engine.solvers import BitBully
from benchmarks.learning import places
from benchmarks.page import DOCS
from benchmarks.record import RESULTS, Results
from c4core.models.files import read_model
from c4core.notation import DEFAULT_BOARD
from tests.support.boards.learning import write_dataset
from tests.support.running.benchmarks import kept, run

GAMES = ["2252576253462244111563365343671351441", "52753311433677442422121", "271713432331713132"]


def test_other_engine_runs() -> None:
    rival = BitBully()
    assert rival.run(GAMES).scores == rival.run_columns(GAMES).scores == [-1, 8, -11]
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


def test_learners_are_trained_and_measured(tmp_path: Path) -> None:
    data, test = tmp_path / "positions", tmp_path / "test"
    for directory, count, least_ply in ((data, 40, 28), (test, 30, 30)):
        write_dataset(directory, board=DEFAULT_BOARD, count=count, least_ply=least_ply)
        # The only entry of the card that is read.
        (directory / "card.json").write_text('{"command": "c4 dataset build"}')
    given = ("--models", str(tmp_path))
    sets = ("--data", str(data), "--test", str(test), "--epochs", "1")
    small = ("--trainings", "2", "--depth", "2", "--sample", "10")
    for _ in range(2):  # the second time, the files are complete
        run(tmp_path, "learning", "learners", *small, *sets, *given)
    shipped = ("--player", f"learning-residual:model={tmp_path / 'shipped'}")
    for part in (
        ("ship", str(tmp_path / "residual-1.safetensors"), "--output", str(tmp_path / "shipped")),
        ("opponents", "--games", "4", "--only", "stupid", "--only", "set", *given, *shipped),
    ):
        run(tmp_path, "learning", *part)
    assert not read_model(tmp_path / "shipped").optimizer
    learners = kept(tmp_path, "learning")["learners"]["learners"]
    assert len(learners) == 16
    assert {each["seed"] for each in learners} == {1, 2}
    texts = places(Results(tmp_path).read("learning"))
    for player in ("residual", "residual-search", "tuples", "tuples-search"):
        assert f"| `learning-{player}` |" in texts["learners"]
    assert len(texts["trainings"].splitlines()) == 2 + 4
    assert "| `stupid` * | " in texts["opponents"]
    assert "| `set` | " in texts["opponents"]
    assert "c4 dataset build" in texts["data"]
