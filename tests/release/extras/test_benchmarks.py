"""Every benchmark runs with its smallest input; other engines, plots, and learning.

Speed does not matter here.
"""

import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from benchmarks import network
from benchmarks.__main__ import main
from benchmarks.engine.solvers import BitBully
from benchmarks.learning import places
from benchmarks.page import DOCS
from benchmarks.record import RESULTS, Results
from c4core.models.files import read_model
from c4core.models.torch.networks import arrays_of, new_network
from c4core.notation import DEFAULT_BOARD
from tests.support.boards.learning import write_dataset
from tests.support.running.benchmarks import kept, run

C4SOLVER = f"c4={shlex.quote(sys.executable)} -m cli solve - --format c4solver --no-store"
SMALLEST = {
    "engine positions drawn --count 1 --hard 0": "",
    "engine sample": r"^\d{41}$",
    "certificates boards 4x4": "'score': 0, 'positions': 367",
    "certificates games --certificate 5x4 --games 4 random perfect": (
        "'perfect', 'games': 4.*'below': 0, 'forfeits': 0, 'searches': 0"
    ),
    "deep boards 4x4 --threads=1 --table-mb=1": "'board': '4x4', 'score': 0",
    "guesses boards 5x5 --count 2": "'board': '5x5', 'unsolved': 0",
    "matches run --db c4.db --group line": "^line: random - set:fallback=column: ",
    "matches run --db c4.db --group line --games 600": "^line: random - set:fallback=vector: ",
    "scaling limits --workers 4 --threads 2 --unit-seconds 0.5": r"^units/s, at most +15\.\d$",
    "scaling book 12 3.5": "",
}
GAMES = ["2252576253462244111563365343671351441", "52753311433677442422121", "271713432331713132"]


@pytest.mark.parametrize("command", SMALLEST)
def test_smallest_input_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = Path(shutil.copytree(RESULTS, tmp_path / "results"))
    out = run(results, *command.split())
    assert re.search(SMALLEST[command], out, re.MULTILINE), out
    shutil.copytree(DOCS, "docs", ignore=shutil.ignore_patterns("*.png"))
    run(results, "render", "--no-plots", "--docs", "docs", command.partition(" ")[0])


def test_limited_analyses_are_measured(tmp_path: Path) -> None:
    out = run(tmp_path, "anytime", "columns", "5x5", "--count=2", "--nodes=1000")
    assert "'positions': 2" in out
    assert "'missing': 0" in out
    run(tmp_path, "anytime", "strength", "5x5", "--opponent=easy", "--games=2", "--seconds=0.1")
    found = kept(tmp_path, "anytime")["strength 5x5 easy"]
    assert sum(found.get(result, 0) for result in ("won", "drawn", "lost")) == 2


def test_engine_is_compared_with_another_program(tmp_path: Path) -> None:
    (tmp_path / "end-easy.txt").write_text("2252576253462244111563365343671351441 -1\n")
    options = ("--quick", "--no-rivals", "--threads=1", "--only=classes", "--program", C4SOLVER)
    run(tmp_path, "engine", "run", *options, f"--positions={tmp_path}")
    found = kept(tmp_path, "engine")["run"]["measurements"]
    assert [(each["solver"], each["wrong"]) for each in found] == [("C4", 0), ("c4", 0)]
    assert str(tmp_path) not in (tmp_path / "engine.json").read_text()
    done = CliRunner().invoke(main, ["engine", "run", "--program=x=/does/not/exist --fast"])
    assert (done.exit_code, "no program" in done.output) == (1, True)


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


def test_learners_are_trained_and_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    _recipe_of_the_shipped_network(tmp_path, monkeypatch)
    texts = places(Results(tmp_path).read("learning"))
    assert "| `learning-residual` | " in texts["network"]
    for player in ("residual", "residual-search", "tuples", "tuples-search"):
        assert f"| `learning-{player}` |" in texts["learners"]
    assert len(texts["trainings"].splitlines()) == 2 + 4
    assert "| `stupid` * | " in texts["opponents"]
    assert "| `set` | " in texts["opponents"]
    assert "c4 dataset build" in texts["data"]


@pytest.mark.parametrize("sides", [{}, {"sides": 2}], ids=str)
def test_a_grown_network_computes_the_same(sides: dict[str, int]) -> None:
    sizes = ({"blocks": 1, "hidden": 8}, {"blocks": 2, "hidden": 16} | sides)
    small, large = (new_network("residual", DEFAULT_BOARD, each, seed=1) for each in sizes)
    network.begin_with(large, arrays_of(small.state_dict()))
    planes = torch.rand(8, 7, 6, 7)
    for grown, known in zip(large(planes), small(planes), strict=True):
        torch.testing.assert_close(grown, known)


def _recipe_of_the_shipped_network(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw a few positions, train on them and in a few games, and measure the network."""
    few = {"HELD_OUT": 24, "AS_FIRST": 2, "AS_SECOND": 2, "EXPLORING": 2}
    often = {"STEPS_OF_ROUND": 5, "BATCH": 64, "FROM_GAMES": 8}
    for name, number in (few | often).items():
        monkeypatch.setattr(network, name, number)
    data, model = results / "network", results / "network.safetensors"
    small = ("--threads", "1", "--table-mb", "64")
    given = ("--data", str(data), *small)
    drawn = ("--share", "6e-4", "--openings", "6")
    run(results, "network", "data", "--output", str(data), *drawn, *small)
    trained = ("--output", str(model), "--steps", "20", "--batch", "64")
    with monkeypatch.context() as patched:
        _check_that_each_step_uses_one_network(patched)
        told = run(results, "network", "train", *given, *trained)
    assert re.findall(r"step (\d+): won ", told) == ["5", "10", "15"]
    run(results, "network", "train", *given, *trained, "--start", str(model))
    run(results, "network", "measure", f"learning-residual:model={model}", *given, "--games", "2")
    measured = kept(results, "learning")["network-test"]["players"]
    assert [sum(each["first"]) + sum(each["second"]) for each in measured] == [4]


def _check_that_each_step_uses_one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The network before ``split`` once learned the positions of the games after it, too."""
    losses, learn = network.Drawn.losses, network.Optimizer.learn
    used = list[torch.nn.Module]()

    def noted_losses(drawn: network.Drawn, count: int) -> torch.Tensor:
        used.append(drawn.course.network)
        return losses(drawn, count)

    def checked_learn(optimizer: network.Optimizer, loss: torch.Tensor, rate: float) -> None:
        assert len(set(used)) == 1
        used.clear()
        learn(optimizer, loss, rate)

    monkeypatch.setattr(network.Drawn, "losses", noted_losses)
    monkeypatch.setattr(network.Optimizer, "learn", checked_learn)
