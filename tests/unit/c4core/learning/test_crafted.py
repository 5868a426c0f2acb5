"""Models that somebody has made on purpose: a message, before memory or time is spent."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from c4core.dice import Dice
from c4core.learning.errors import ModelError
from c4core.notation import BoardSize
from c4core.players import PlayerError, PlayerFailure, parse_player
from c4core.position import Position
from tests.support.boards.learning import REASON, labelled_arrays, random_positions, write_dataset
from tests.support.running.command_line import C4

torch = pytest.importorskip("torch", reason=REASON)
pytest.importorskip("safetensors", reason=REASON)

from safetensors.numpy import save_file  # noqa: E402

from c4core.learning import modelfile  # noqa: E402
from c4core.learning.modelfile import (  # noqa: E402
    LARGEST,
    MAX_HEADER,
    MAX_TENSORS,
    MAX_TEXT,
    read_model,
    write_model,
)
from c4core.learning.networks import arrays_of, network_of, new_network  # noqa: E402
from c4core.training.exact_course import ExactCourse  # noqa: E402
from c4core.training.labels import Positions  # noqa: E402
from c4core.training.loop import train  # noqa: E402

SMALL = {"channels": 2, "layers": 1, "hidden": 4}
ABOUT: dict[str, Any] = {
    "format": 1,
    "kind": "exact",
    "board": "5x4",
    "architecture": SMALL,
    "settings": {"seed": 1},
    "history": [{"epoch": 1, "loss": 0.5, "seconds": 0.1}],
}
WEIGHTS = {
    modelfile.WEIGHTS + name: array
    for name, array in arrays_of(
        new_network("exact", BoardSize(5, 4), SMALL, seed=1).state_dict()
    ).items()
}


def crafted(path: Path, tensors: dict[str, Any] = WEIGHTS, **changes: Any) -> Path:  # noqa: ANN401
    """A model's file with changes, under a right checksum."""
    about = {name: entry for name, entry in {**ABOUT, **changes}.items() if entry is not ...}
    about["sha256"] = modelfile._digest(about, tensors)
    save_file(tensors, path, {"c4": json.dumps(about)})
    return path


def test_the_unchanged_one_is_well(tmp_path: Path) -> None:
    path = crafted(tmp_path / "model")
    network_of(read_model(path), path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"board": 5}, "board cannot be 5"),
        ({"board": "9x9"}, "impossible board"),
        ({"board": ...}, "'board' is missing"),
        ({"kind": ["exact"]}, r"kind cannot be \['exact'\]"),
        ({"architecture": []}, r"architecture cannot be \[\]"),
        ({"settings": None}, "settings cannot be None"),
        ({"history": {}}, r"history cannot be \{\}"),
        ({"history": [5]}, "damaged"),
        ({"history": [{"epoch": 1}]}, "'seconds' is missing"),
        ({"history": [{"epoch": "1", "seconds": 1}]}, "an epoch cannot be"),
        ({"history": [{"epoch": 1, "seconds": float("nan")}]}, "an epoch cannot be"),
        ({"history": [{"epoch": 1, "seconds": float("inf")}]}, "an epoch cannot be"),
        ({"history": [{"epoch": 1, "seconds": 1e13}]}, "cannot take 10000000000000.0 seconds"),
        ({"history": [{"epoch": 1, "seconds": 1, "loss": float("nan")}]}, "an epoch cannot be"),
        ({"history": [{"epoch": 1, "seconds": 1, "loss": 10**400}]}, "an epoch cannot be"),
        ({"history": [{"epoch": 1, "seconds": 1, "loss": -(10**400)}]}, "an epoch cannot be"),
        ({"history": [{"epoch": 1, "seconds": 1, "loss": 1e301}]}, "an epoch cannot be"),
        ({"history": [{"epoch": 1, "seconds": 1, "loss": True}]}, "an epoch cannot be"),
        ({"history": [{"epoch": 1, "seconds": 1, "loss": []}]}, "an epoch cannot be"),
        ({"format": True}, "is a damaged model"),
        ({"settings": {"x": "x" * MAX_TEXT}}, "is a damaged model"),
    ],
)
def test_descriptions(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        read_model(crafted(tmp_path / "model", **changes))
    assert len(str(caught.value)) < 500


def with_header(path: Path, header: bytes) -> Path:
    """A file of a header alone."""
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    return path


def empty_tensors(number: int) -> bytes:
    tensor = {"dtype": "F32", "shape": [0], "data_offsets": [0, 0]}
    return json.dumps({f"weights.{index}": tensor for index in range(number)}).encode()


@pytest.mark.parametrize(
    ("header", "message"),
    [
        (b" " * (MAX_HEADER + 1), "its header is larger than 8,388,608 bytes"),
        (empty_tensors(MAX_TENSORS + 1), "it has more than 1,000 tensors"),
        (empty_tensors(MAX_TENSORS), "is no model of c4"),
    ],
)
def test_large_headers(tmp_path: Path, header: bytes, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_model(with_header(tmp_path / "model", header))


def test_a_large_header_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("safetensors.safe_open", None)
    with pytest.raises(ModelError, match="its header is larger"):
        read_model(with_header(tmp_path / "model", b" " * (MAX_HEADER + 1)))


def test_what_would_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    path = crafted(tmp_path / "model")
    before = path.read_bytes()
    model = replace(read_model(path), settings={"x": "x" * MAX_TEXT})
    with pytest.raises(ModelError, match="no more than 4,194,304 are read again"):
        write_model(path, model)
    assert path.read_bytes() == before


@pytest.mark.parametrize("depth", [99, 800])
def test_settings_that_are_nested_deeply(tmp_path: Path, depth: int) -> None:
    """They would be written again when training goes on."""
    settings = {"x": json.loads("[" * depth + "]" * depth)}
    with pytest.raises(ModelError, match="nested more than 100 deep"):
        read_model(crafted(tmp_path / "model", settings=settings))
    read_model(crafted(tmp_path / "other", settings={"x": json.loads("[" * 98 + "]" * 98)}))


def test_a_description_that_is_nested_deeply(tmp_path: Path) -> None:
    nested = json.dumps(ABOUT)[:-1] + ', "x": ' + "[" * 900 + "]" * 900 + "}"
    path = tmp_path / "model"
    save_file(WEIGHTS, path, {"c4": nested})

    def deeply(left: int) -> None:
        if left:
            deeply(left - 1)
        else:
            read_model(path)

    for depth in (0, 100):
        with pytest.raises(ModelError, match="damaged"):
            deeply(depth)


@pytest.mark.parametrize(
    ("architecture", "message"),
    [
        ({"layers": 2**31}, "layers cannot be 2147483648: it is 1 to 64"),
        ({"layers": 0}, "layers cannot be 0"),
        ({"layers": True}, "layers cannot be True"),
        ({"hidden": 1.5}, "hidden cannot be 1.5"),
        ({"channels": 10**400}, "channels cannot be 1000"),
        ({"channels": "2"}, "channels cannot be '2'"),
        ({"depth": 1}, "unexpected keyword"),
        ({"board": 1}, "multiple values"),
        (LARGEST, "the network cannot be made"),
    ],
)
def test_networks(tmp_path: Path, architecture: dict[str, Any], message: str) -> None:
    path = crafted(tmp_path / "model", architecture=architecture)
    with pytest.raises(ModelError, match=message):
        network_of(read_model(path), path)


def test_the_largest_network_takes_no_memory_before_it_has_weights(tmp_path: Path) -> None:
    """Its weights would be 2.4 GB."""
    resource = pytest.importorskip("resource")
    path = crafted(tmp_path / "model", architecture=LARGEST)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ModelError):
        network_of(read_model(path), path)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000


@pytest.mark.parametrize("dtype", ["float64", "int8", "bool", "float16"])
def test_weights_of_another_type(tmp_path: Path, dtype: str) -> None:
    path = crafted(tmp_path / "model", {name: a.astype(dtype) for name, a in WEIGHTS.items()})
    with pytest.raises(ModelError, match="not of type float32"):
        network_of(read_model(path), path)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_play(tmp_path: Path, number: float) -> None:
    path = crafted(tmp_path / "model", {n: np.full_like(a, number) for n, a in WEIGHTS.items()})
    position = Position("1122", width=5, height=4)
    player = parse_player(f"learning-exact:model={path}").make()
    assert player.choose(position, Dice(1)) in position.legal_columns()


def test_a_player_says_what_is_wrong(tmp_path: Path) -> None:
    path = crafted(tmp_path / "model", board=5)
    with pytest.raises(PlayerError, match="board cannot be 5"):
        parse_player(f"learning-exact:model={path}").make()
    path = crafted(tmp_path / "other", architecture={"layers": 2**31})
    player = parse_player(f"learning-exact:model={path}").make()
    with pytest.raises(PlayerFailure, match="layers cannot be"):
        player.choose(Position(width=5, height=4), Dice(1))


@pytest.mark.parametrize(
    "change",
    [
        lambda tensors: tensors.clear(),
        lambda tensors: tensors.popitem(),
        lambda tensors: tensors.update({"policy.bias.more": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"policy.bias.exp_avg": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"policy.bias.step": np.array(1, dtype=np.int8)}),
    ],
)
def test_another_optimizer_is_not_resumed(tmp_path: Path, change: Any) -> None:  # noqa: ANN401
    path = tmp_path / "model"
    positions = Positions(**labelled_arrays(random_positions(60)), board=BoardSize(5, 4))

    def course() -> ExactCourse:
        return ExactCourse(positions, positions, channels=2, layers=1, hidden=4, batch=60)

    model = train(course(), path, epochs=1)
    tensors = dict(model.optimizer)
    change(tensors)
    object.__setattr__(model, "optimizer", tensors)
    write_model(path, model)
    with pytest.raises(ModelError, match="cannot be resumed: its optimizer"):
        train(course(), path, epochs=2, resume=read_model(path))


@pytest.mark.parametrize("changes", [{"board": 5}, {"architecture": {"layers": 2**31}}])
def test_at_the_command_line(tmp_path: Path, changes: dict[str, Any]) -> None:
    crafted(tmp_path / "model", **changes)
    write_dataset(tmp_path / "data", count=20)
    done = C4(tmp_path)("learn", "evaluate", "model", "--data", "data")
    assert (done.code, "fault" in done.err, "cannot be" in done.err) == (1, False, True)
