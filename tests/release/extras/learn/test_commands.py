"""``c4 learn`` with PyTorch: training, interrupts, resuming, evaluating, and refusals."""

import json
import signal
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import extras
from c4core.models.files import read_model
from tests.support.boards.learning import write_dataset
from tests.support.refusals import refused
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a data set, games and a model of every kind."""
    directory = tmp_path_factory.mktemp("trained")
    c4 = C4(directory)
    write_dataset(directory / "data", count=60)
    write_dataset(directory / "other", count=5, least_ply=12)
    more = ("--apart-from", "other")
    small = ("--epochs", "1", "--steps", "3", "--batch", "20", "--games", "2", "-q")
    sizes = ("--channels", "8", "--blocks", "1", "--hidden", "8")
    for command in (
        ("learn", "train", "cnn", "--games", "600", "--epochs", "1", "-q"),
        ("learn", "train", "residual", "--data", "data", *small, *sizes, *more),
        ("match", "set", "random", "--games", "60", "--judge", "none", "-q"),
        ("games", "export", "--format", "csv", "-o", "games.csv", "-q"),
    ):
        assert c4(*command).code == 0, command
    return directory


@pytest.fixture
def kept(trained: Path) -> C4:
    return C4(trained)


def test_training_for_people(kept: C4) -> None:
    done = kept("learn", "train", "cnn", "--games", "600", "--epochs", "1", "--resume")
    assert done.code == 0
    assert "parameters     3,375" in done.out
    assert "600 games" in done.err or "repeated" in done.err


def test_training_for_programs(c4: C4, trained: Path) -> None:
    csv = str(trained / "games.csv")
    done = c4(
        "learn", "train", "cnn", "--csv", csv, "--padding", "valid", "--batch", "10",
        "--rate", "0.02", "--epochs", "2", "--seed", "5", "--json",
    )  # fmt: skip
    assert done.code == 0
    told = json.loads(done.out)
    assert (told["kind"], told["parameters"], told["epochs"]) == ("cnn", 1317, 2)
    assert told["architecture"] == {"padding": "valid"}
    assert told["settings"]["rate"] == 0.02
    assert [entry["epoch"] for entry in told["history"]] == [1, 2]
    assert (c4.directory / "cnn.safetensors").stat().st_mode & 0o777 == 0o644


def test_stored_games_give_the_same_model_as_their_file(kept: C4) -> None:
    options = ("--epochs", "1", "--json", "-q")
    stored = kept("learn", "train", "cnn", "--match", "1", "-o", "a.safetensors", *options)
    read = kept("learn", "train", "cnn", "--csv", "games.csv", "-o", "b.safetensors", *options)
    one, other = json.loads(stored.out), json.loads(read.out)
    assert one["settings"] == other["settings"]
    assert one["weights"] == other["weights"]


def read_until(process: subprocess.Popen[str], begin: str) -> None:
    """Read a process's reports until a line starts with the given words."""
    assert process.stderr is not None
    assert any(line.startswith(begin) for line in process.stderr), "it has ended"


def test_ctrl_c_leaves_a_checkpoint_that_resumes_exactly(c4: C4) -> None:
    options = ("learn", "train", "cnn", "--games", "600", "--json")
    process = c4.start(*options, "--epochs", "100000", "--verbose")
    read_until(process, "epoch 2:")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=HANG_SECONDS)
    assert (process.returncode, out) == (130, "")
    assert "of 100000 epochs and can play" in err
    assert "Traceback" not in err
    reached = len(read_model(c4.directory / "cnn.safetensors").history)
    assert 2 <= reached < 100000
    wanted = str(reached + 2)
    resumed = json.loads(c4(*options, "--epochs", wanted, "--resume", "-q").out)
    whole = json.loads(c4(*options, "--epochs", wanted, "--fresh", "-q").out)
    assert resumed["weights"] == whole["weights"]
    assert [path.name for path in c4.directory.glob(".*")] == []


def test_a_network_without_pytorch_is_evaluated(kept: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    model = "residual.safetensors"
    done = kept("learn", "evaluate", model, "--data", "data", "--split", "validation")
    assert done.code == 0
    assert "How its columns keep to the proof" in done.out
    told = json.loads(kept("learn", "evaluate", model, "--data", "data", "--json").out)
    assert told["quality"]["all"]["positions"] == 60


def test_players_and_their_models_get_the_same_measures(kept: C4) -> None:
    data = ("--data", "data", "--json")
    model = "residual.safetensors"
    told = json.loads(
        kept("learn", "evaluate", "--player", f"learning-residual:model={model}", *data).out
    )
    assert told["player"].startswith(f"learning-residual:model={model},weights=")
    assert told["move_microseconds"] > 0
    batch = json.loads(kept("learn", "evaluate", model, *data).out)
    assert told["quality"] == batch["quality"]


REFUSED = """
train cnn
train cnn --resume --fresh
train cnn --resume --games 600 --seed 1
train cnn --resume --games 2
train cnn --games 1 -o new
train cnn --games 9 --csv games.csv -o new
train cnn --csv data/train.npz -o new
train cnn --match 1 --board 5x4 -o new
train cnn --match 99 -o new
train cnn --board 4x4 --padding valid --games 99 -o new
train cnn -o no/such/place
train residual --data . -o new
train residual --data nowhere
train residual --data data --channels 12 -o new
evaluate cnn.safetensors --data data
evaluate cnn.safetensors --player set --data data
evaluate --player learning-cnn:model=cnn.safetensors --data data
"""
ON_ANOTHER_BOARD = ("match {} set --games 2", "match set {} --games 2", "play --first {}")


def test_bad_arguments_are_refused(kept: C4, snapshot: SnapshotAssertion) -> None:
    player = "learning-cnn:model=cnn.safetensors"
    lines = [f"learn {words}" for words in REFUSED.strip().splitlines()]
    lines += [words.format(player) + " --board 5x4" for words in ON_ANOTHER_BOARD]
    assert {words: refused(kept, words) for words in lines} == snapshot
    assert not (kept.directory / "new").exists()
    assert not (kept.directory / "no").exists()
