"""Export networks as ONNX files, which other programs can run without C4 and PyTorch.

All files have the same input, and the same first output::

    planes, float32 (n, 2, height, width) -> policy, float32 (n, width)
                                             outcome, float32 (n, 3): residual only

The graph includes the steps around the network: it computes the threats, the mean with the mirror
image, or the grids after each move. Full columns get minus infinity, so the player's move is the
column with the largest ``policy``. PyTorch's exporter traces the modules below.
"""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import nn
from torch.nn import functional

from c4core.models.evaluator import BLOCKING_WORTH, WINNING_WORTH
from c4core.models.torch.networks import network_of
from c4core.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from c4core.models.files import Model
    from c4core.notation import BoardSize

OPSET: Final = 18

POLICIES: Final = {
    "cnn": "How much the grid after a move in each column looks like a won game, 0 to 1.",
    "residual": "Logits: their softmax has a probability for each column. A win adds 1000.",
}
"""The meaning of the policies of each kind of model."""

_PLANES: Final = (
    "Positions, planes, rows, columns. Plane 0 has 1 for each stone of the side to move, plane 1 "
    "has 1 for each stone of the opponent, and all other numbers are 0. Row 0 is the bottom row, "
    "column 0 is the left column. The game must not be over."
)
_PLAY: Final = "Full columns have minus infinity. Play the column with the largest number."
_OUTCOME: Final = "The probabilities that the side to move loses, draws and wins."

_LINE: Final = 4
_STEPS: Final = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Rows and columns of a step along a line of four."""
_REACH: Final = _LINE - 1
_SIDE: Final = 2 * _REACH + 1
_NEVER: Final = float("-inf")


def onnx_bytes(model: Model, path: Path, *, license_name: str | None = None) -> bytes:
    """The content of an ONNX file with the network of a model."""
    width, height = model.board
    network = _MODULES[model.kind](network_of(model, path), model.board)
    about = {
        "board": str(model.board),
        "kind": model.kind,
        "weights": model.fingerprint,
        "c4_version": __version__,
        **({"license": license_name} if license_name else {}),
        "input planes": f"float32 (n, 2, {height}, {width}). {_PLANES}",
        "output policy": f"float32 (n, {width}). {POLICIES[model.kind]} {_PLAY}",
    }
    outputs = ["policy"]
    if model.kind == "residual":
        outputs.append("outcome")
        about["output outcome"] = f"float32 (n, 3). {_OUTCOME}"
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it warns of missing packages
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about parts of PyTorch that its exporter uses
        program: Any = torch.onnx.export(
            network.eval(),
            (torch.zeros(2, 2, height, width),),
            input_names=["planes"],
            output_names=outputs,
            dynamic_shapes={"planes": {0: "n"}},
            opset_version=OPSET,
            dynamo=True,
            verbose=False,
        )
    file = program.model_proto
    file.producer_name, file.producer_version = "c4", __version__
    file.doc_string = f"Connect Four on {model.board}: a network of C4."
    del file.metadata_props[:]
    for key, value in about.items():
        entry = file.metadata_props.add()
        entry.key, entry.value = key, value
    return file.SerializeToString(deterministic=True)


class _Playing(nn.Module):
    """A network with the steps around it."""

    def __init__(self, network: nn.Module, board: BoardSize) -> None:
        super().__init__()
        self.network = network
        self.width, self.height = board

    def playable(self, stones: torch.Tensor) -> torch.Tensor:
        """(n, height, width): 1 for the squares that the next stones fall to."""
        return functional.pad(stones, (0, 0, 1, 0), value=1.0)[:, : self.height] - stones

    def open_only(self, policy: torch.Tensor, planes: torch.Tensor) -> torch.Tensor:
        """The policy with minus infinity for full columns."""
        return torch.where(planes[:, :, -1].sum(1) > 0.5, _NEVER, policy)  # noqa: PLR2004


class _FinalGrids(_Playing):
    """Evaluates the grids after a stone in every column, with the top row first."""

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        own, opponent = planes[:, 0], planes[:, 1]
        falls = self.playable(own + opponent).unsqueeze(1) * torch.eye(self.width).unsqueeze(1)
        grids = ((own - opponent).unsqueeze(1) + falls).flip(2)
        found = self.network(grids.reshape(-1, 1, self.height, self.width))
        return self.open_only(found.reshape(-1, self.width), planes)


class _Residual(_Playing):
    """Evaluates positions and their mirror images, and takes the mean."""

    lines: torch.Tensor
    """A kernel for every line of four through a square: the other three squares of the line."""

    def __init__(self, network: nn.Module, board: BoardSize) -> None:
        super().__init__(network, board)
        lines = torch.zeros(_LINE * len(_STEPS), 1, _SIDE, _SIDE)
        places = [(place, step) for place in range(_LINE) for step in _STEPS]
        for line, (place, (up, right)) in enumerate(places):
            for away in {*range(-place, _LINE - place)} - {0}:
                lines[line, 0, _REACH + away * up, _REACH + away * right] = 1
        self.register_buffer("lines", lines)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The policy, and the probabilities of the results."""
        images = torch.cat([planes, planes.flip(-1)])
        seen, is_odd = self.seven_planes(images)
        sides = list(getattr(self.network, "sides", [self.network]))
        found = [side(seen) for side in sides]
        policy, value = (
            torch.where(is_odd.view(-1, 1), last, first)
            for first, last in zip(found[0][:2], found[-1][:2], strict=True)
        )
        forced = WINNING_WORTH * seen[:, 3] + BLOCKING_WORTH * seen[:, 4]
        policy = policy + (seen[:, 2] * forced).amax(1)
        plain, mirrored = policy.view(2, -1, self.width).unbind()
        outcome = value.softmax(1).view(2, -1, 3).mean(0)
        return self.open_only((plain + mirrored.flip(1)) / 2, planes), outcome

    def seven_planes(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """(n, 7, height, width): the input; and (n,), whether the number of stones is odd."""
        stones = planes.sum(1)
        sides = planes.reshape(-1, 1, self.height, self.width)
        most = functional.conv2d(sides, self.lines, padding=_REACH).amax(1)
        threats = (most.view(-1, 2, self.height, self.width) - 2).relu()
        threats = threats * (1 - stones).unsqueeze(1)
        is_odd = stones.sum((1, 2)) % 2 > 0.5  # noqa: PLR2004
        is_odd_row = (torch.arange(self.height) % 2 > 0).view(1, -1, 1)
        rows = (is_odd_row == is_odd.view(-1, 1, 1)).float().expand_as(stones)
        more = torch.stack([self.playable(stones), rows, torch.ones_like(stones)], 1)
        return torch.cat([planes, more[:, :1], threats, more[:, 1:]], 1), is_odd


_MODULES: Final = {"cnn": _FinalGrids, "residual": _Residual}
