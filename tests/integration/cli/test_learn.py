"""``c4 learn`` without PyTorch: the error message, and the commands that still work."""

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import extras
from c4core.models.files import LARGEST, Model, write_model
from cli.commands.learn.training import residual
from cli.shell.parameters import IntRange
from tests.support.boards.games import SMALL
from tests.support.boards.learning import write_dataset
from tests.support.running.command_line import C4

EXTRA = "pip install torch"


class TestWithoutPyTorch:
    @pytest.fixture(autouse=True)
    def no_pytorch(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(extras, "find_spec", lambda _name: None)

    @pytest.mark.parametrize(
        "words",
        [
            "learn train cnn",
            "learn train residual --data .",
            "learn evaluate cnn.safetensors --data .",
            "match learning-cnn:model=x.safetensors set --games 1",
        ],
    )
    def test_the_message_names_the_package(self, c4: C4, words: str) -> None:
        model = Model("cnn", SMALL, {"padding": "same"}, {}, [], {})
        write_model(c4.directory / "cnn.safetensors", model)
        done = c4(*words.split())
        assert (done.code, done.out) == (1, "")
        assert EXTRA in done.err
        assert [path.name for path in c4.directory.glob("*.*")] == ["cnn.safetensors"]


def test_options_have_the_limits_of_the_models() -> None:
    found = {
        parameter.name: parameter.type.max
        for parameter in residual.params
        if isinstance(parameter.type, IntRange) and parameter.name in LARGEST
    }
    assert found
    assert found.items() <= LARGEST.items()


class TestEvaluatePlayers:
    @pytest.fixture
    def c4(self, c4: C4) -> C4:
        """A directory with a data set of 5x4."""
        write_dataset(c4.directory / "data", count=20)
        return c4

    def test_any_player(self, c4: C4, snapshot: SnapshotAssertion) -> None:
        done = c4("learn", "evaluate", "--player", "perfect", "--data", "data", "--sample", "15")
        assert (done.code, done.err) == (0, "")
        lines = [" ".join(line.split()) for line in done.out.splitlines()]
        assert "all 15 100.0% 100.0%" in lines
        assert [line for line in lines if not line.endswith(" us")] == snapshot

    def test_a_player_of_stored_games_and_a_program(self, c4: C4) -> None:
        c4("match", "set", "random", "--games", "9", "--board", "5x4", "--judge", "none", "-q")
        program = (
            "exec:sh -c 'read x; echo ready; while read x y z; do [ $x = go ] && echo play 9; done'"
        )
        for player, code, words in (
            ("database-montecarlo", 0, "How its columns keep to the proof"),
            (program, 1, "column 9 is outside the board"),
        ):
            done = c4("learn", "evaluate", "--player", player, "--data", "data", "--sample", "5")
            assert done.code == code
            assert words in done.out + done.err
