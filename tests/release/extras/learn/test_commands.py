"""``c4 learn`` with PyTorch: training, interrupts, resuming, evaluating, and refusals."""

import json
import signal
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import extras
from c4core.order_training.samples import Network
from tests.support.boards.learning import write_dataset
from tests.support.refusals import refused
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS
from tests.support.strangers import COMMANDS, FILE, check_command, fill


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a data set, games and a model of every kind."""
    directory = tmp_path_factory.mktemp("trained")
    c4 = C4(directory)
    write_dataset(directory / "data", count=60)
    write_dataset(directory / "other", count=5, least_ply=12)
    more = ("--apart-from", "other", "--plot", "residual.svg")
    small = ("--epochs", "1", "--channels", "4", "--hidden", "8", "-q")
    eight = ("--epochs", "1", "--channels", "8", "--hidden", "8", "-q")
    for command in (
        ("learn", "train", "cnn", "--games", "600", "--epochs", "1", "-q"),
        ("learn", "train", "exact", "--data", "data", *small),
        ("learn", "train", "residual", "--data", "data", "--blocks", "1", *eight, *more),
        ("learn", "train", "selfplay", "--games", "20", "--board", "5x4", *small),
        ("match", "set", "random", "--games", "60", "--judge", "none", "-q"),
        ("games", "export", "--format", "csv", "-o", "games.csv", "-q"),
    ):
        assert c4(*command).code == 0, command
    return directory


@pytest.fixture
def kept(trained: Path) -> C4:
    return C4(trained)


class TestOrder:
    """``c4 learn order`` trains the network that orders the engine's moves."""

    FEW = ("--board", "5x4", "--roots", "30", "--last-ply", "9", "--density", "20")

    def test_for_people(self, c4: C4) -> None:
        done = c4("learn", "order", *self.FEW, "-v")
        assert done.code == 0
        assert "held out  cross entropy" in done.out
        assert done.out.splitlines()[-1].split()[0] == "2"
        assert "round 1: " in done.err
        data = (c4.directory / "c4-5x4.c4order").read_bytes()
        network = Network(data)
        assert (network.width, network.height, network.last_ply) == (5, 4, 9)

    def test_for_programs(self, c4: C4) -> None:
        done = c4("learn", "order", *self.FEW, "--rounds", "1", "-o", "a", "--json")
        assert (done.code, done.err) == (0, "")
        told = json.loads(done.out)
        assert told["bytes"] == (c4.directory / "a").stat().st_size
        assert (told["board"], told["roots"], told["last_ply"]) == ("5x4", 30, 9)
        (only,) = told["rounds"]
        assert only["samples"] > only["held_out"] > 0
        assert only["before"]["cross_entropy"] > 0
        again = c4("learn", "order", *self.FEW, "--rounds", "1", "-o", "b")
        assert again.code == 0
        assert (c4.directory / "a").read_bytes() == (c4.directory / "b").read_bytes()

    def test_bad_arguments_are_refused(self, c4: C4, snapshot: SnapshotAssertion) -> None:
        (c4.directory / "old").write_text("precious")
        assert {
            words: refused(c4, f"learn order {words}")
            for words in (
                "--output no/such/place",
                "--output .",
                "--output old",
                "--board 4x4 --last-ply 16",
                "--board 4x2 --last-ply 5",
                "--board 5x4 --last-ply 9 --roots 3",
                "--density 0",
                "--board 99x9",
            )
        } == snapshot
        assert [path.name for path in c4.directory.glob("*")] == ["old"]
        assert (c4.directory / "old").read_text() == "precious"

    def test_an_old_file_is_replaced_on_request(self, c4: C4) -> None:
        (c4.directory / "old").write_text("precious")
        done = c4("learn", "order", *self.FEW, "--rounds", "1", "-o", "old", "--fresh")
        assert done.code == 0
        assert Network((c4.directory / "old").read_bytes()).width == 5


class TestTrain:
    def test_for_people(self, kept: C4) -> None:
        done = kept("learn", "train", "cnn", "--games", "600", "--epochs", "1", "--resume")
        assert done.code == 0
        assert "parameters     3,375" in done.out
        assert "says won  says not won" in done.out
        assert "600 games" in done.err or "repeated" in done.err

    def test_for_programs(self, c4: C4, trained: Path) -> None:
        csv = str(trained / "games.csv")
        done = c4(
            "learn", "train", "cnn", "--csv", csv, "--padding", "valid", "--batch", "10",
            "--rate", "0.02", "--epochs", "2", "--seed", "5", "--json", "--plot", "curve.svg",
        )  # fmt: skip
        assert done.code == 0
        told = json.loads(done.out)
        assert (told["kind"], told["parameters"], told["epochs"]) == ("cnn", 1317, 2)
        assert told["architecture"] == {"padding": "valid"}
        assert told["settings"]["rate"] == 0.02
        assert [entry["epoch"] for entry in told["history"]] == [1, 2]
        assert told["confusion"]["games"] == round(0.3 * told["settings"]["games"])
        assert (c4.directory / "cnn.safetensors").stat().st_mode & 0o777 == 0o644
        assert (c4.directory / "curve.svg").read_bytes().startswith(b"<?xml")

    def test_stored_games_give_the_same_model_as_their_file(self, kept: C4) -> None:
        options = ("--epochs", "1", "--json", "-q")
        stored = kept("learn", "train", "cnn", "--match", "1", "-o", "a.safetensors", *options)
        read = kept("learn", "train", "cnn", "--csv", "games.csv", "-o", "b.safetensors", *options)
        one, other = json.loads(stored.out), json.loads(read.out)
        assert one["settings"] == other["settings"]
        assert one["weights"] == other["weights"]

    def test_resumed_training_gives_the_same_model(self, c4: C4) -> None:
        options = ("learn", "train", "selfplay", "--board", "4x4", "--games", "20", "--json")
        small = ("--channels", "4", "--hidden", "8")
        weights = []
        for epochs, more in (("1", ()), ("2", ("--resume",)), ("2", ("--fresh",))):
            done = c4(*options, *small, "--epochs", epochs, *more)
            assert done.code == 0
            weights.append(json.loads(done.out)["weights"])
        assert weights[0] != weights[1] == weights[2]

    def test_bad_arguments_are_refused(self, kept: C4, snapshot: SnapshotAssertion) -> None:
        assert {
            words: refused(kept, f"learn train {words}")
            for words in (
                "cnn",
                "cnn --resume --fresh",
                "cnn --resume --games 600 --seed 1",
                "cnn --resume --games 2",
                "cnn --games 1 -o new",
                "cnn --games 9 --csv games.csv -o new",
                "cnn --csv data/train.npz -o new",
                "cnn --match 1 --board 5x4 -o new",
                "cnn --match 99 -o new",
                "cnn --board 4x4 --padding valid --games 99 -o new",
                "cnn --plot x.txt -o new",
                "cnn -o no/such/place",
                "exact --data . -o new",
                "exact --data nowhere",
                "residual --data data --channels 12 -o new",
                "tuples --data data --length 10 -o new",
            )
        } == snapshot
        assert not (kept.directory / "new").exists()

    def test_a_damaged_model_is_not_resumed(self, c4: C4, trained: Path) -> None:
        content = (trained / "cnn.safetensors").read_bytes()
        (c4.directory / "cnn.safetensors").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        done = c4("learn", "train", "cnn", "--games", "600", "--resume")
        assert done.code == 1
        assert "is a damaged model" in done.err


def read_until(process: subprocess.Popen[str], begin: str) -> None:
    """Read a process's reports until a line starts with the given words."""
    assert process.stderr is not None
    assert any(line.startswith(begin) for line in process.stderr), "it has ended"


class TestInterrupt:
    def test_ctrl_c_leaves_a_checkpoint_that_resumes_exactly(self, c4: C4) -> None:
        options = ("learn", "train", "cnn", "--games", "600", "--json")
        process = c4.start(*options, "--epochs", "100000", "--verbose")
        read_until(process, "epoch 2:")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=HANG_SECONDS)
        assert (process.returncode, out) == (130, "")
        assert "of 100000 epochs and can play" in err
        assert "Traceback" not in err
        reached = json.loads(c4("learn", "evaluate", "cnn.safetensors", "--json").out)["epochs"]
        assert 2 <= reached < 100000
        wanted = str(reached + 2)
        resumed = json.loads(c4(*options, "--epochs", wanted, "--resume", "-q").out)
        whole = json.loads(c4(*options, "--epochs", wanted, "-o", "whole.st", "-q").out)
        assert resumed["weights"] == whole["weights"]
        assert resumed["confusion"] == whole["confusion"]
        assert [path.name for path in c4.directory.glob(".*")] == []

    def test_killing_at_any_time_leaves_a_complete_file(self, c4: C4) -> None:
        process = c4.start(
            "learn", "train", "cnn", "--games", "300", "--epochs", "1000000", "--verbose"
        )
        read_until(process, "epoch 3:")
        process.kill()
        process.communicate(timeout=HANG_SECONDS)
        assert c4("learn", "evaluate", "cnn.safetensors", "--games", "50").code == 0


class TestEvaluate:
    def test_final_grids(self, kept: C4) -> None:
        done = kept("learn", "evaluate", "cnn.safetensors", "--games", "200", "--seed", "9")
        assert done.code == 0
        assert "The network's verdict on" in done.out
        told = json.loads(
            kept("learn", "evaluate", "cnn.safetensors", "--csv", "games.csv", "--json").out
        )
        assert told["confusion"]["games"] <= 60
        assert told["confusion"]["accuracy"] <= 1

    @pytest.mark.parametrize("kind", ["exact", "selfplay"])
    def test_positions(self, kept: C4, kind: str) -> None:
        model = f"{kind}.safetensors"
        done = kept("learn", "evaluate", model, "--data", "data", "--split", "validation")
        assert done.code == 0
        assert "How often its column is a best one" in done.out
        told = json.loads(kept("learn", "evaluate", model, "--data", "data", "--json").out)
        assert told["positions"]["positions"] == 60
        assert (told["positions"]["value_accuracy"] is None) == (kind == "selfplay")
        assert told["quality"]["all"]["strict"] == told["positions"]["best_share"]
        assert told["quality"]["mirror"]["positions"] > 0

    def test_a_network_without_pytorch_is_evaluated(
        self, kept: C4, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(extras, "find_spec", lambda _name: None)
        done = kept("learn", "evaluate", "residual.safetensors", "--data", "data")
        assert done.code == 0
        assert "How its columns keep to the proof" in done.out

    def test_players_and_their_models_get_the_same_measures(self, kept: C4) -> None:
        data = ("--data", "data", "--json")
        for kind in ("exact", "residual"):
            model = f"{kind}.safetensors"
            asked = kept("learn", "evaluate", "--player", f"learning-{kind}:model={model}", *data)
            told = json.loads(asked.out)
            assert told["player"].startswith(f"learning-{kind}:model={model},weights=")
            assert told["move_microseconds"] > 0
            batch = json.loads(kept("learn", "evaluate", model, *data).out)
            assert told["quality"] == batch["quality"]

    def test_bad_arguments_are_refused(self, kept: C4, snapshot: SnapshotAssertion) -> None:
        assert {
            words: refused(kept, f"learn evaluate {words}")
            for words in (
                "exact.safetensors",
                "cnn.safetensors --data data",
                "cnn.safetensors --data data --games 1",
                "cnn.safetensors --board 5x4",
                "cnn.safetensors --player set",
                "cnn.safetensors --sample 5",
                "--player learning-cnn:model=cnn.safetensors --data data",
            )
        } == snapshot


def test_a_model_plays_a_match(kept: C4) -> None:
    model = "learning-cnn:model=cnn.safetensors"
    done = kept("match", model, "set", "--swap", "--games", "4", "--judge", "none", "--json", "-q")
    assert done.code == 0
    told = json.loads(done.out)
    assert "learning-cnn:model=cnn.safetensors,weights=" in json.dumps(told)
    weights = json.loads(kept("learn", "evaluate", "cnn.safetensors", "--json").out)["weights"]
    assert weights in json.dumps(told)


@pytest.mark.parametrize(
    "words",
    ["match PLAYER set --games 2", "match set PLAYER --games 2", "play --plain --first PLAYER"],
)
def test_a_model_does_not_play_on_another_board(
    kept: C4, words: str, snapshot: SnapshotAssertion
) -> None:
    player = "learning-cnn:model=cnn.safetensors"
    assert refused(kept, words.replace("PLAYER", player) + " --board 5x4") == snapshot


@pytest.mark.parametrize("path", [path for path in COMMANDS if path.startswith("learn")])
def test_a_command_escapes_names_and_survives_a_closed_pipe(tmp_path: Path, path: str) -> None:
    directory = tmp_path / FILE
    directory.mkdir()
    fill(C4(directory))
    check_command(C4(directory), path)


def test_a_missing_folder_is_not_created(c4: C4) -> None:
    done = c4("learn", "train", "cnn", "--games", "10", "--output", "nowhere/deeper/x")
    assert done.code == 2
    assert "'nowhere/deeper/x': No such file or directory" in done.err
    assert not (c4.directory / "nowhere").exists()
