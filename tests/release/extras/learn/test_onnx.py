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

from c4core.models.evaluator import input_planes, planes_of_positions, words_of_planes
from c4core.models.files import Model, read_model
from c4core.models.players import engine_of, shipped_file
from c4core.models.torch.networks import arrays_of, network_of, new_network
from c4core.models.torch.onnx import onnx_bytes
from c4core.models.torch.playing import choose_column, residual_columns, residual_policies
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.version import __version__
from tests.support.boards.games import random_positions
from tests.support.boards.learning import model_file
from tests.support.refusals import refused
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


BOARDS = [BoardSize(7, 6), BoardSize(5, 5), BoardSize(6, 9), BoardSize(9, 6), BoardSize(5, 4)]


@pytest.mark.parametrize(("board", "case"), list(zip(BOARDS, ARCHITECTURES, strict=True)), ids=str)
def test_onnxruntime_plays_what_pytorch_plays(
    board: BoardSize, case: tuple[str, dict[str, Any]]
) -> None:
    kind, architecture = case
    model = random_model(kind, board, architecture)
    network = network_of(model, HERE)
    positions = random_positions(50, seed=3, board=board)
    planes = planes_of_positions(positions, moved=False)
    found = computed(onnx_bytes(model, HERE), planes)
    for position, row in zip(positions, found["policy"], strict=True):
        assert tuple(np.flatnonzero(row > -np.inf)) == position.legal_columns()
    if kind == "cnn":
        chosen = [choose_column(network, position) for position in positions]
        assert list(found) == ["policy"]
    else:
        chosen = residual_columns(network, positions)
        expected = np.where(found["policy"] > -np.inf, residual_policies(network, planes), -np.inf)
        np.testing.assert_allclose(found["policy"], expected, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(found["outcome"], outcomes(network, planes), atol=1e-5)
    # The columns of a random network can be equal but for rounding.
    rows = np.arange(len(positions))
    assert (found["policy"][rows, chosen] >= found["policy"].max(1) - 1e-5).all()


def outcomes(network: torch.nn.Module, planes: NDArray[np.uint8]) -> NDArray[np.float32]:
    """PyTorch's probabilities of loss, draw and win."""
    height, width = planes.shape[2:]
    planes = input_planes(*words_of_planes(planes), width=width, height=height)
    seen = torch.from_numpy(planes).float()
    with torch.inference_mode():
        images = [network(each).value.softmax(1).numpy() for each in (seen, seen.flip(-1))]
    found: NDArray[np.float32] = (images[0] + images[1]) / 2
    return found


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


def test_the_command(c4: C4, snapshot: SnapshotAssertion) -> None:
    cnn = model_file(c4.directory, "learning-cnn", BoardSize(5, 4))
    done = c4("learn", "export", cnn.name, "--onnx", "new.onnx")
    assert (done.code, done.out) == (0, "")
    content = (c4.directory / "new.onnx").read_bytes()
    assert content == onnx_bytes(read_model(cnn), cnn)
    assert done.err == f"new.onnx: cnn network of 5x4, {len(content):,} bytes\n"
    bad = [
        "cnn.safetensors",
        "nowhere --onnx x",
        "new.onnx --onnx x",
        "cnn.safetensors --onnx cnn.safetensors",
        "cnn.safetensors --onnx nowhere/x",
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
