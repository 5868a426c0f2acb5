"""The programs that measure learning run with their smallest input, and write page and plots."""

import shutil
from pathlib import Path

import torch

from benchmarks.learning.pages import PARTS, places
from benchmarks.page import DOCS
from benchmarks.record import Results
from c4core.models.files import read_model
from c4core.notation import DEFAULT_BOARD
from tests.support.boards.learning import write_dataset
from tests.support.running.benchmarks import kept, run


def test_every_part_can_be_made_anew(tmp_path: Path) -> None:
    torch.set_num_threads(1)
    data = write_dataset(tmp_path / "positions", board=DEFAULT_BOARD, count=60, least_ply=26)
    given = ("--models", str(tmp_path), "--seed", "0")
    for part, *options in (
        ("cnn", "--games", "300", "--epochs", "1"),
        ("games", "--games", "4"),
        ("seeds", "--trainings", "2", "--games", "300", "--epochs", "1", "--tries", "4"),
        ("exact", "--epochs", "1", "--data", str(data)),
        ("selfplay", "--epochs", "1"),
        ("matches", "--games", "2", "--data", str(data)),
    ):
        run(tmp_path, "learning", part, *options, *given)
    assert set(kept(tmp_path, "learning")) == set(PARTS) - {"learners", "curve", "opponents"}
    page = Path(shutil.copy(DOCS / "learning.md", tmp_path))
    run(tmp_path, "render", "--docs", str(tmp_path), "learning")
    assert "300 games of set against set" in page.read_text()
    assert str(tmp_path) not in (tmp_path / "learning.json").read_text()
    for name in ("cnn", "exact", "selfplay", "games"):
        assert (tmp_path / f"learning-{name}.svg").read_bytes().startswith(b"<?xml")


def test_learners_are_trained_and_measured(tmp_path: Path) -> None:
    data = with_card(
        write_dataset(tmp_path / "positions", board=DEFAULT_BOARD, count=40, least_ply=28)
    )
    test = with_card(write_dataset(tmp_path / "test", board=DEFAULT_BOARD, count=30, least_ply=30))
    given = ("--models", str(tmp_path))
    sets = ("--data", str(data), "--test", str(test), "--epochs", "1")
    small = ("--trainings", "2", "--depth", "2", "--sample", "10")
    for _ in range(2):  # the second time, the files are complete
        run(tmp_path, "learning", "learners", *small, *sets, *given)
    shipped = ("--player", f"learning-residual:model={tmp_path / 'shipped'}")
    for part in (
        ("curve", *sets, *given),
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
    assert texts["curve"].count("| 8, 1 |") == 1
    assert texts["curve"].count("| 32, 4 |") == 4
    assert "c4 dataset build" in texts["data"]


def with_card(data: Path) -> Path:
    """Put a card beside a data set, with the one entry that is read."""
    (data / "card.json").write_text('{"command": "c4 dataset build"}')
    return data
