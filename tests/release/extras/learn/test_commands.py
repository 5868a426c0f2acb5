"""``c4 learn``: train, be interrupted, resume, evaluate, and refuse."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from c4core import extras
from c4core.foresight import Network
from c4core.learning.modelfile import Model, write_model
from tests.support.boards.learning import REASON, SMALL, write_dataset
from tests.support.running.command_line import C4, ROOT
from tests.support.running.waiting import await_that

EXTRA = "pip install torch"


@pytest.fixture
def c4(tmp_path: Path) -> C4:
    return C4(tmp_path)


class TestWithout:
    """PyTorch is missing, or nobody asked for it."""

    @pytest.mark.parametrize(
        "arguments",
        [
            ["train", "cnn"],
            ["train", "exact", "--data", "."],
            ["train", "residual", "--data", "."],
            ["train", "selfplay"],
            ["order"],
        ],
    )
    def test_it_says_what_to_install(
        self, c4: C4, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
    ) -> None:
        monkeypatch.setattr(extras, "find_spec", lambda _name: None)
        done = c4("learn", *arguments)
        assert (done.code, done.out) == (1, "")
        assert EXTRA in done.err
        assert list(c4.directory.glob("*.safetensors")) == []
        assert list(c4.directory.glob("*.c4order")) == []

    def test_a_model_that_needs_it_is_not_evaluated(
        self, c4: C4, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = Model("exact", SMALL, {}, {}, [], {})
        write_model(c4.directory / "exact.safetensors", model)
        monkeypatch.setattr(extras, "find_spec", lambda _name: None)
        done = c4("learn", "evaluate", "exact.safetensors")
        assert (done.code, done.out) == (1, "")
        assert EXTRA in done.err

    def test_tuples_do_without(self, c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(extras, "find_spec", lambda _name: None)
        write_dataset(c4.directory / "data", count=60)
        options = ("--data", "data", "--json")
        few = ("--tuples", "6", "--length", "3", "--epochs", "2")
        trained = json.loads(c4("learn", "train", "tuples", *few, *options).out)
        assert trained["parameters"] == 2 * 6 * 4**3 + 6 * 3
        assert [entry["epoch"] for entry in trained["history"]] == [1, 2]
        read = c4("learn", "evaluate", "tuples.safetensors", "--split", "validation", *options)
        assert json.loads(read.out)["quality"] == trained["quality"]
        for player in ("learning-tuples", "learning-tuples-search"):
            described = f"{player}:model=tuples.safetensors"
            asked = c4("learn", "evaluate", "--player", described, *options)
            told = json.loads(asked.out)
            assert told["quality"]["wins"]["missed"] == 0
        more = ("--resume", "--tuples", "6", "--length", "3", "--epochs", "3")
        assert c4("learn", "train", "tuples", *more, *options).code == 0
        refused = c4("learn", "train", "tuples", "--length", "11", "--fresh", *options)
        assert refused.code == 2

    def test_so_does_the_player(self, c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(extras, "find_spec", lambda _name: None)
        done = c4("match", "learning-cnn:model=x.safetensors", "set", "--games", "1")
        assert (done.code, done.out) == (1, "")
        assert EXTRA in done.err

    @pytest.mark.parametrize(
        "arguments",
        [["learn", "--help"], ["learn", "train", "cnn", "--help"], ["players", "list"]],
    )
    def test_nothing_else_imports_it(self, arguments: list[str]) -> None:
        program = (
            f"import sys; from cli.boundary import run; code = run({arguments!r}); "
            "sys.exit(code or any(name in sys.modules for name in ('torch', 'safetensors')))"
        )
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True)  # noqa: PLW1510
        assert done.returncode == 0


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a data set, games and a model of every kind."""
    pytest.importorskip("torch", reason=REASON)
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
    """``c4 learn order``: the network with which the engine orders moves."""

    FEW = ("--board", "5x4", "--roots", "30", "--last-ply", "9", "--density", "20")

    @pytest.fixture
    def c4(self, tmp_path: Path) -> C4:
        pytest.importorskip("torch", reason=REASON)
        return C4(tmp_path)

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

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--output", "no/such/place"], "No such file or directory"),
            (["--output", "."], "not a regular file"),
            (["--output", "old"], "old exists: --fresh begins again"),
            (["--board", "4x4", "--last-ply", "16"], "--last-ply 16 is too large: 4x4 has 16"),
            (["--board", "4x2", "--last-ply", "5"], "too many for 4x2"),
            (["--board", "5x4", "--last-ply", "9", "--roots", "3"], "give no samples to hold out"),
            (["--density", "0"], "--density"),
            (["--board", "99x9"], "impossible board 99x9"),
        ],
    )
    def test_refused(self, c4: C4, arguments: list[str], message: str) -> None:
        (c4.directory / "old").write_text("precious")
        done = c4("learn", "order", *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in " ".join(done.err.split())
        assert [path.name for path in c4.directory.glob("*")] == ["old"]
        assert (c4.directory / "old").read_text() == "precious"

    def test_an_old_file_is_replaced_when_asked(self, c4: C4) -> None:
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

    def test_stored_games_are_those_of_their_file(self, kept: C4) -> None:
        options = ("--epochs", "1", "--json", "-q")
        stored = kept("learn", "train", "cnn", "--match", "1", "-o", "a.safetensors", *options)
        read = kept("learn", "train", "cnn", "--csv", "games.csv", "-o", "b.safetensors", *options)
        one, other = json.loads(stored.out), json.loads(read.out)
        assert one["settings"] == other["settings"]
        assert one["weights"] == other["weights"]

    def test_resumed_or_not(self, c4: C4) -> None:
        pytest.importorskip("torch", reason=REASON)
        options = ("learn", "train", "selfplay", "--board", "4x4", "--games", "20", "--json")
        small = ("--channels", "4", "--hidden", "8")
        weights = []
        for epochs, more in (("1", ()), ("2", ("--resume",)), ("2", ("--fresh",))):
            done = c4(*options, *small, "--epochs", epochs, *more)
            assert done.code == 0
            weights.append(json.loads(done.out)["weights"])
        assert weights[0] != weights[1] == weights[2]

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["cnn"], 2, "cnn.safetensors exists: --resume goes on from it"),
            (["cnn", "--resume", "--fresh"], 2, "do not go together"),
            (
                ["cnn", "--resume", "--games", "600", "--seed", "1"],
                2,
                "cannot be resumed: settings",
            ),
            (["cnn", "--resume", "--games", "2"], 2, "cannot be resumed"),
            (["cnn", "--games", "1", "-o", "new"], 2, "1 different games are too few"),
            (["cnn", "--games", "9", "--csv", "games.csv", "-o", "new"], 2, "do not go together"),
            (["cnn", "--csv", "data/train.npz", "-o", "new"], 1, "data/train.npz, line 1"),
            (["cnn", "--match", "1", "--board", "5x4", "-o", "new"], 2, "was played on 7x6"),
            (["cnn", "--match", "99", "-o", "new"], 2, "99"),
            (["cnn", "--board", "4x4", "--padding", "valid", "--games", "99", "-o", "n"], 2, "4x4"),
            (["cnn", "--plot", "x.txt", "-o", "new"], 2, "ends with none of"),
            (["cnn", "-o", "no/such/place"], 2, "No such file or directory"),
            (["exact", "--data", ".", "-o", "new"], 1, "validation.npz is missing"),
            (["exact", "--data", "nowhere"], 2, "does not exist"),
            (["residual", "--data", "data", "--channels", "12", "-o", "new"], 2, "multiple of 8"),
            (["tuples", "--data", "data", "--length", "10", "-o", "new"], 2, "have more than"),
        ],
    )
    def test_refused(self, kept: C4, arguments: list[str], code: int, message: str) -> None:
        done = kept("learn", "train", *arguments)
        assert (done.code, done.out) == (code, "")
        assert message in " ".join(done.err.split())
        assert not (kept.directory / "new").exists()

    def test_a_damaged_model_is_not_resumed(self, c4: C4, trained: Path) -> None:
        content = (trained / "cnn.safetensors").read_bytes()
        (c4.directory / "cnn.safetensors").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        done = c4("learn", "train", "cnn", "--games", "600", "--resume")
        assert done.code == 1
        assert "is a damaged model" in done.err


class TestInterrupt:
    def test_ctrl_c_leaves_a_checkpoint_that_resumes_exactly(self, c4: C4) -> None:
        pytest.importorskip("torch", reason=REASON)
        options = ("learn", "train", "cnn", "--games", "600", "--json")
        process = c4.start(*options, "--epochs", "1000", "--verbose")
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("epoch 2:"):
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert (process.returncode, out) == (130, "")
        assert "of 1000 epochs and can play" in err
        assert "Traceback" not in err
        reached = json.loads(c4("learn", "evaluate", "cnn.safetensors", "--json").out)["epochs"]
        assert 2 <= reached < 1000
        wanted = str(reached + 2)
        resumed = json.loads(c4(*options, "--epochs", wanted, "--resume", "-q").out)
        whole = json.loads(c4(*options, "--epochs", wanted, "-o", "whole.st", "-q").out)
        assert resumed["weights"] == whole["weights"]
        assert resumed["confusion"] == whole["confusion"]
        assert [path.name for path in c4.directory.glob(".*")] == []

    def test_killed_at_any_time_the_file_is_whole(self, c4: C4) -> None:
        pytest.importorskip("torch", reason=REASON)
        process = c4.start("learn", "train", "cnn", "--games", "300", "--epochs", "1000000", "-q")
        await_that((c4.directory / "cnn.safetensors").exists, process)
        time.sleep(0.5)
        process.kill()
        process.communicate(timeout=60)
        assert c4("learn", "evaluate", "cnn.safetensors", "--games", "50").code == 0


class TestEvaluate:
    def test_final_grids(self, kept: C4) -> None:
        done = kept("learn", "evaluate", "cnn.safetensors", "--games", "200", "--seed", "9")
        assert done.code == 0
        assert "What the network says about" in done.out
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

    def test_a_network_that_needs_no_pytorch(
        self, kept: C4, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(extras, "find_spec", lambda _name: None)
        done = kept("learn", "evaluate", "residual.safetensors", "--data", "data")
        assert done.code == 0
        assert "How its columns keep to the proof" in done.out

    def test_players_are_measured_as_their_models_are(self, kept: C4) -> None:
        data = ("--data", "data", "--json")
        for kind in ("exact", "residual"):
            model = f"{kind}.safetensors"
            asked = kept("learn", "evaluate", "--player", f"learning-{kind}:model={model}", *data)
            told = json.loads(asked.out)
            assert told["player"].startswith(f"learning-{kind}:model={model},weights=")
            assert told["move_microseconds"] > 0
            batch = json.loads(kept("learn", "evaluate", model, *data).out)
            assert told["quality"] == batch["quality"]

    def test_any_player(self, kept: C4) -> None:
        done = kept("learn", "evaluate", "--player", "perfect", "--data", "data", "--sample", "20")
        assert (done.code, done.err) == (0, "")
        lines = [" ".join(line.split()) for line in done.out.splitlines()]
        assert "player perfect" in lines
        assert "all 20 100.0% 100.0%" in lines
        assert "mirrored column not played -" in lines

    def test_a_player_of_stored_games_and_a_program(self, kept: C4) -> None:
        kept("match", "set", "random", "--games", "9", "--board", "5x4", "--judge", "none", "-q")
        program = (
            "exec:sh -c 'read x; echo ready; while read x y z; do [ $x = go ] && echo play 9; done'"
        )
        for player, code, words in (
            ("database-montecarlo", 0, "How its columns keep to the proof"),
            (program, 1, "column 9 is outside the board"),
        ):
            done = kept("learn", "evaluate", "--player", player, "--data", "data", "--sample", "5")
            assert done.code == code
            assert words in done.out + done.err

    @pytest.mark.parametrize(
        ("arguments", "code", "message"),
        [
            (["exact.safetensors"], 2, "it is evaluated with --data"),
            (["cnn.safetensors", "--data", "data"], 2, "plays on 7x6, the positions are on 5x4"),
            (["cnn.safetensors", "--data", "data", "--games", "1"], 2, "--data does not go with"),
            (["cnn.safetensors", "--board", "5x4"], 2, "give --board 7x6"),
            (["games.csv"], 1, "games.csv is no model of c4"),
            (["nothing"], 2, "File 'nothing' does not exist."),
            ([], 2, "give either MODEL or --player"),
            (["cnn.safetensors", "--player", "set"], 2, "give either MODEL or --player"),
            (["--player", "set"], 2, "a player is evaluated with --data"),
            (["--player", "nobody", "--data", "data"], 2, "no player is called 'nobody'"),
            (["cnn.safetensors", "--sample", "5"], 2, "--sample goes with --data"),
            (
                ["--player", "learning-cnn:model=cnn.safetensors", "--data", "data"],
                2,
                "plays on 7x6, not on 5x4",
            ),
        ],
    )
    def test_refused(self, kept: C4, arguments: list[str], code: int, message: str) -> None:
        done = kept("learn", "evaluate", *arguments)
        assert (done.code, done.out) == (code, "")
        assert message in " ".join(done.err.split())


def test_a_model_plays_a_match(kept: C4) -> None:
    model = "learning-cnn:model=cnn.safetensors"
    done = kept("match", model, "set", "--swap", "--games", "4", "--judge", "none", "--json", "-q")
    assert done.code == 0
    told = json.loads(done.out)
    assert "learning-cnn:model=cnn.safetensors,weights=" in json.dumps(told)
    weights = json.loads(kept("learn", "evaluate", "cnn.safetensors", "--json").out)["weights"]
    assert weights in json.dumps(told)


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "set", "PLAYER", "--games", "2"],
        ["match", "PLAYER", "set", "--games", "2"],
        ["play", "--plain", "--second", "PLAYER"],
        ["play", "--plain", "--first", "PLAYER"],
    ],
)
def test_nobody_plays_on_a_board_that_the_model_does_not_know(
    kept: C4, arguments: list[str]
) -> None:
    model = "learning-cnn:model=cnn.safetensors"
    words = [model if word == "PLAYER" else word for word in arguments]
    done = kept(*words, "--board", "5x4")
    assert (done.code, done.out) == (2, "")
    assert "player learning-cnn: cnn.safetensors plays on 7x6, not on 5x4" in " ".join(
        done.err.split()
    )
