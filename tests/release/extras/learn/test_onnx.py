"""ONNX files: onnxruntime computes and plays what PyTorch and the engine compute and play."""

import shlex
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import torch
from numpy.typing import NDArray
from syrupy.assertion import SnapshotAssertion

from c4core.errors import ModelError
from c4core.models.evaluator import input_planes, planes_of_positions, words_of_planes
from c4core.models.files import Model, read_model
from c4core.models.onnx import onnx_bytes
from c4core.models.players import engine_of, shipped_file
from c4core.models.torch.networks import arrays_of, network_of, new_network
from c4core.models.torch.playing import choose_column, preferences
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.version import __version__
from tests.support.boards.learning import model_file, random_positions
from tests.support.refusals import refusal, refused
from tests.support.running.command_line import C4, ROOT
from tests.support.running.console import blocks, commands

pytestmark = pytest.mark.usefixtures("one_thread")

HERE = Path("model")
PAGE = ROOT / "docs" / "learning.md"
NEAR = 0.25
"""Policies of the engine, which computes in integers, differ from the network's by at most this."""

ARCHITECTURES: list[tuple[str, dict[str, Any]]] = [
    ("cnn", {"padding": "same"}),
    ("cnn", {"padding": "valid"}),
    ("exact", {"channels": 4, "layers": 1, "hidden": 8}),
    ("exact", {"channels": 6, "layers": 3, "hidden": 5}),
    ("selfplay", {"channels": 4, "layers": 2, "hidden": 8}),
    ("residual", {"channels": 8, "blocks": 1, "hidden": 16}),
    ("residual", {"channels": 16, "blocks": 3, "hidden": 8}),
    ("residual", {"channels": 8, "blocks": 2, "hidden": 8, "sides": 2}),
]


def random_model(kind: str, board: BoardSize, architecture: dict[str, Any]) -> Model:
    network = new_network(kind, board, architecture, seed=1)
    with torch.no_grad():
        for parameter in network.parameters():  # zeros at the beginning would hide mistakes
            parameter.add_(torch.randn(parameter.shape, generator=torch.manual_seed(1)) / 5)
    return Model(kind, board, architecture, {}, [], arrays_of(network.state_dict()))


def computed(content: bytes, planes: NDArray[np.uint8]) -> dict[str, NDArray[np.float32]]:
    """The outputs of onnxruntime."""
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found = session.run(names, {"planes": planes.astype(np.float32)})
    return dict(zip(names, found, strict=True))


@pytest.mark.parametrize("board", [(7, 6), (5, 5), (6, 9), (9, 6)], ids=str)
@pytest.mark.parametrize(("kind", "architecture"), ARCHITECTURES, ids=str)
def test_onnxruntime_plays_what_pytorch_plays(
    kind: str, architecture: dict[str, Any], board: tuple[int, int]
) -> None:
    size = BoardSize(*board)
    model = random_model(kind, size, architecture)
    network = network_of(model, HERE)
    positions = random_positions(50, seed=3, board=size)
    planes = planes_of_positions(positions, moved=False)
    expected, values = preferences(network, kind, planes)
    found = computed(onnx_bytes(model, HERE), planes)
    for position, row, other in zip(positions, found["policy"], expected, strict=True):
        columns = position.legal_columns()
        assert tuple(np.flatnonzero(row > -np.inf)) == columns
        np.testing.assert_allclose(row[[*columns]], other[[*columns]], rtol=1e-4, atol=1e-5)
        # The columns of a random network can be equal but for rounding.
        assert row[choose_column(network, kind, position)] >= row.max() - 1e-5
    if values is None:
        assert list(found) == ["policy"]
    else:
        np.testing.assert_allclose(found["outcome"], outcomes(network, kind, planes), atol=1e-5)
        assert (found["outcome"].argmax(1) - 1 == values).all()


def outcomes(network: torch.nn.Module, kind: str, planes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """PyTorch's probabilities of loss, draw and win."""
    height, width = planes.shape[2:]
    if kind == "residual":
        planes = input_planes(*words_of_planes(planes), width=width, height=height)
    seen = torch.from_numpy(planes).float()
    with torch.inference_mode():
        results: NDArray[np.float32] = network(seen).value.softmax(1).numpy()
        if kind == "residual":
            results = (results + network(seen.flip(-1)).value.softmax(1).numpy()) / 2
    return results


def test_onnxruntime_plays_what_the_included_player_plays() -> None:
    """The positions are of all stages: ten for each least number of stones from 0 to 39."""
    path = shipped_file("residual")
    model = read_model(path)
    engine = engine_of(model, path)
    positions = [
        position
        for stones in range(40)
        for position in random_positions(10, seed=stones, board=DEFAULT_BOARD, least_ply=stones)
    ]
    found = computed(onnx_bytes(model, path), planes_of_positions(positions, moved=False))
    chosen = [
        row[engine.choose(each)] for row, each in zip(found["policy"], positions, strict=True)
    ]
    np.testing.assert_allclose(chosen, found["policy"].max(1), atol=NEAR)
    assert (found["policy"].max(1) - chosen > 0).sum() <= 0.01 * len(positions)
    for position, row, outcome in zip(positions, *found.values(), strict=True):
        numbers, value = engine.evaluate(position)
        exact = [-np.inf if number is None else number for number in numbers]
        np.testing.assert_allclose(row, exact, atol=NEAR)
        assert outcome[2] - outcome[0] == pytest.approx(value, abs=NEAR)


def test_the_file_describes_itself() -> None:
    path = shipped_file("residual")
    content = onnx_bytes(read_model(path), path, license_name="MIT")
    assert content == onnx_bytes(read_model(path), path, license_name="MIT")
    file = onnx.load_from_string(content)
    onnx.checker.check_model(file, full_check=True)
    assert (file.producer_name, file.producer_version) == ("c4", __version__)
    about = {entry.key: entry.value for entry in file.metadata_props}
    known = {"board": "7x6", "kind": "residual", "c4_version": __version__, "license": "MIT"}
    assert known.items() < about.items()
    assert about["weights"] == read_model(path).fingerprint
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    described = [("input", each) for each in session.get_inputs()]
    described += [("output", each) for each in session.get_outputs()]
    for place, each in described:
        shape = ", ".join(map(str, each.shape))
        assert about[f"{place} {each.name}"].startswith(f"float32 ({shape}). ")
    assert [(place, each.name, each.shape) for place, each in described] == [
        ("input", "planes", ["n", 2, 6, 7]),
        ("output", "policy", ["n", 7]),
        ("output", "outcome", ["n", 3]),
    ]


def test_models_that_are_refused(snapshot: SnapshotAssertion) -> None:
    sizes = {"channels": 8, "blocks": 1, "hidden": 8}
    weights = dict(random_model("residual", DEFAULT_BOARD, sizes).weights)

    def damaged(architecture: dict[str, Any] = sizes, **others: NDArray[np.generic]) -> str:
        named = {name.replace("_", "."): array for name, array in others.items()}
        model = Model("residual", DEFAULT_BOARD, architecture, {}, [], weights | named)
        return refusal(onnx_bytes, model, HERE, error=ModelError)

    huge = np.broadcast_to(np.float32(0), (1 << 29, 1))
    assert [
        damaged(sizes | {"blocks": 2}),
        damaged(sizes | {"blocks": 17}),
        damaged(sizes | {"hidden": 8.0}),
        damaged(mixing_bias=np.zeros(7, dtype=np.float32)),
        damaged(mixing_bias=np.zeros(8, dtype=np.float64)),
        damaged(score_weight=huge),
    ] == snapshot


def test_the_command(c4: C4, snapshot: SnapshotAssertion) -> None:
    exact = model_file(c4.directory, "learning-exact", BoardSize(5, 4))
    model_file(c4.directory, "learning-tuples", BoardSize(5, 4))
    done = c4("learn", "export", exact.name, "--onnx", "new.onnx")
    assert (done.code, done.out) == (0, "")
    content = (c4.directory / "new.onnx").read_bytes()
    assert content == onnx_bytes(read_model(exact), exact)
    assert done.err == f"new.onnx: exact network of 5x4, {len(content):,} bytes\n"
    bad = [
        "exact.safetensors",
        "nowhere --onnx x",
        "tuples.safetensors --onnx x",
        "new.onnx --onnx x",
        "exact.safetensors --onnx exact.safetensors",
        "exact.safetensors --onnx nowhere/x",
    ]
    assert {words: refused(c4, f"learn export {words}") for words in bad} == snapshot
    assert not (c4.directory / "x").exists()


def test_the_program_of_the_page(
    c4: C4, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    exports = [line for block in blocks(PAGE) for line in commands(block).splitlines()]
    line = next(line for line in exports if line.startswith("c4 learn export"))
    assert c4(*shlex.split(line)[1:]).code == 0
    monkeypatch.chdir(c4.directory)
    (program,) = blocks(PAGE, "python")
    exec(program, {})  # noqa: S102 (a page of this project)
    assert capsys.readouterr().out.strip() == program.rpartition("# ")[2].strip()
