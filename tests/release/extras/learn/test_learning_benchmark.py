"""The benchmarks of learning run with their smallest input, and write the page."""

from pathlib import Path

from benchmarks.learning import places
from benchmarks.record import Results
from c4core.models.files import read_model
from c4core.notation import DEFAULT_BOARD
from tests.support.boards.learning import write_dataset
from tests.support.running.benchmarks import kept, run


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


def with_card(data: Path) -> Path:
    """Write a card beside a data set, with the only entry that is read."""
    (data / "card.json").write_text('{"command": "c4 dataset build"}')
    return data
