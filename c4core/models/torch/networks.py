"""The PyTorch networks, and the conversion of their weights.

``FinalGridNetwork``, kind cnn, is the network of Brewer 2017. It predicts whether player 1 won the
game with this final grid.

::

    grid 1 x H x W -> convolution, 42 filters 4 x 4, tanh -> largest of each 2 x 2
                   -> flat -> 7 units, sigmoid -> 1 unit, sigmoid

With padding ``same`` the convolution keeps the grid's size: it adds one row and column of zeros at
the top and on the left, and two at the bottom and on the right. With ``valid`` it adds none. The
publication does not state the padding; its program uses ``same``. On 7x6 the network has 3,375
parameters with ``same``, and 1,317 with ``valid``.

``ResidualNetwork``, kind residual, has the threats of both sides in its input.

::

    planes 7 x H x W -> star convolution -> blocks: x + convolution(convolution(x))
        -> column by column: its squares -> units -> + layer(units, their mean over the columns)
             -> policy: a number for the column
             -> score of the column
             -> their mean -> loss, draw, win

With two *sides*, there is such a network for the positions of each player, so player 1 and player 2
have weights of their own.

The star convolution sees three squares in each of the eight directions: every line of four through
a square. The other convolutions are 3 x 3. The board is padded with zeros. A relu follows every
layer; additions to a layer's output come before the relu. All columns share their weights. No layer
covers the whole board: apart from the convolutions, only the mean connects the columns.
:mod:`c4core.models.residual` computes the same in integers and without PyTorch, except for the
scores, which only help the training.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import torch
from torch import nn
from torch.nn import functional

from c4core.errors import LearningError, ModelError
from c4core.models.residual import STAR, weight_shapes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from c4core.models.files import Model
    from c4core.notation import BoardSize

Padding = Literal["same", "valid"]

VALUES: Final = 3
"""The number of outputs of a value head: the side to move loses, draws or wins."""

MOST_CHARACTERS: Final = 200
"""PyTorch's message about wrong weights is cut to this length, because it names every layer."""

CALM: Final = 40
CALM_POLICY: Final = 12
"""Larger activations and policies cost something in training."""
WATCHED: Final = 256
"""Only this many positions of a step are searched for large activations, to save time."""

_FILTERS: Final = 42
_KERNEL: Final = 4
_POOL: Final = 2
_UNITS: Final = 7

STAR_PLANES: Final = 7
"""The number of planes of :mod:`c4core.models.planes`, the input of ``ResidualNetwork``."""

_REACH: Final = 3
_SIDE: Final = 2 * _REACH + 1
_PLACES: Final = [(_REACH + up) * _SIDE + _REACH + right for right, up in STAR]
"""The places of the taps in a kernel of 7 x 7, row by row."""


class FinalGridNetwork(nn.Module):
    """A network that predicts from a final grid whether player 1 has won: a number from 0 to 1.

    The initial weights follow the library that Brewer used: uniform by Glorot's rule, with zero
    biases.
    """

    def __init__(self, board: BoardSize, padding: Padding = "same") -> None:
        super().__init__()
        if padding not in get_args(Padding):
            raise LearningError(f"padding is same or valid, not {padding!r}")
        lost = 0 if padding == "same" else _KERNEL - 1
        high, wide = ((size - lost) // _POOL for size in (board.height, board.width))
        if min(high, wide) < 1:
            raise LearningError(f"padding {padding} leaves nothing of a {board} board")
        before, after = (_KERNEL - 1) // 2, _KERNEL // 2
        around = (before, after, before, after)
        self.layers = nn.Sequential(
            nn.ZeroPad2d(around) if padding == "same" else nn.Identity(),
            nn.Conv2d(1, _FILTERS, _KERNEL),
            nn.Tanh(),
            nn.MaxPool2d(_POOL),
            nn.Flatten(),
            nn.Linear(_FILTERS * high * wide, _UNITS),
            nn.Sigmoid(),
            nn.Linear(_UNITS, 1),
            nn.Sigmoid(),
        )
        for layer in self.layers:
            if isinstance(layer, nn.Conv2d | nn.Linear):
                nn.init.xavier_uniform_(layer.weight)
                if layer.bias is not None:
                    nn.init.zeros_(layer.bias)

    def forward(self, grids: torch.Tensor) -> torch.Tensor:
        """The outputs, (n,), for grids (n, 1, height, width)."""
        outputs: torch.Tensor = self.layers(grids)
        return outputs.squeeze(1)


class ResidualOutputs(NamedTuple):
    """The outputs of :class:`ResidualNetwork` for n positions, for the side to move."""

    policy: torch.Tensor
    """(n, width): logits of every column, full ones included."""
    value: torch.Tensor
    """(n, 3): logits of loss, draw and win."""
    scores: torch.Tensor
    """(n, width): the scores of the columns, divided by the largest score of the board."""


class _Star(nn.Module):
    """A convolution of 7 x 7 that has weights only in the eight directions."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(channels, STAR_PLANES, len(STAR)))
        self.bias = nn.Parameter(torch.zeros(channels))
        nn.init.kaiming_uniform_(self.weight.view(channels, -1), nonlinearity="relu")

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        """The activations, (n, channels, height, width), for planes (n, 7, height, width)."""
        empty = self.weight.new_zeros(*self.weight.shape[:2], _SIDE * _SIDE)
        kernel = empty.index_copy(2, torch.tensor(_PLACES, device=empty.device), self.weight)
        return functional.conv2d(
            planes, kernel.view(*self.weight.shape[:2], _SIDE, _SIDE), self.bias, padding=_REACH
        )


class _Block(nn.Module):
    """Two convolutions, whose input is added to their output."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.inner = nn.Conv2d(channels, channels, 3, padding=1)
        self.outer = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(
            self.outer.weight
        )  # at first a block changes nothing, so deep networks learn

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The activations, (n, channels, height, width), from activations of the same shape."""
        outer: torch.Tensor = self.outer(torch.relu(self.inner(x)))
        return torch.relu(x + outer)


class ResidualNetwork(nn.Module):
    """A network for the policy, the value and the scores of positions."""

    def __init__(
        self, board: BoardSize, *, channels: int = 32, blocks: int = 4, hidden: int = 32
    ) -> None:
        super().__init__()
        try:
            weight_shapes(board.height, channels, blocks, hidden)
        except ValueError as error:
            raise LearningError(str(error)) from None
        self.first = _Star(channels)
        self.blocks = nn.Sequential(*(_Block(channels) for _ in range(blocks)))
        self.column = nn.Linear(board.height * channels, hidden)
        self.mixing = nn.Linear(2 * hidden, hidden)
        self.policy = nn.Linear(hidden, 1)
        self.score = nn.Linear(hidden, 1)
        self.value = nn.Linear(hidden, VALUES)

    def forward(self, planes: torch.Tensor) -> ResidualOutputs:
        """The outputs for planes (n, 7, height, width) of :mod:`c4core.models.planes`."""
        features = self.blocks(torch.relu(self.first(planes)))
        squares = features.permute(0, 3, 2, 1).flatten(2)  # (n, width, height * channels)
        alone = torch.relu(self.column(squares))
        mean = alone.mean(1, keepdim=True).expand_as(alone)
        units = torch.relu(alone + self.mixing(torch.cat([alone, mean], 2)))
        return ResidualOutputs(
            self.policy(units).squeeze(2), self.value(units.mean(1)), self.score(units).squeeze(2)
        )


class SidesNetwork(nn.Module):
    """A :class:`ResidualNetwork` for each player, with the same sizes."""

    def __init__(self, board: BoardSize, *, sides: int, **sizes: int) -> None:
        super().__init__()
        self.sides = nn.ModuleList(ResidualNetwork(board, **sizes) for _ in range(sides))

    def forward(self, planes: torch.Tensor) -> ResidualOutputs:
        """The outputs for planes (n, 7, height, width) of :mod:`c4core.models.planes`."""
        moved = planes[:, :2].sum((1, 2, 3)).long() % len(self.sides)
        rows = [(moved == number).nonzero().squeeze(1) for number in range(len(self.sides))]
        found = [side(planes[where]) for side, where in zip(self.sides, rows, strict=True)]
        back = torch.cat(rows).argsort()
        return ResidualOutputs(*(torch.cat(each)[back] for each in zip(*found, strict=True)))


def _residual_network(board: BoardSize, *, sides: int = 1, **sizes: int) -> nn.Module:
    """A network that all positions or the positions of each player use."""
    if sides == 1:
        return ResidualNetwork(board, **sizes)
    return SidesNetwork(board, sides=sides, **sizes)


_CLASSES: Final[dict[str, Callable[..., nn.Module]]] = {
    "cnn": FinalGridNetwork,
    "residual": _residual_network,
}


def new_network(
    kind: str, board: BoardSize, architecture: Mapping[str, Any], *, seed: int
) -> nn.Module:
    """Create a network with random weights. PyTorch's global generator is not changed."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return _CLASSES[kind](board, **architecture)


def network_of(model: Model, path: Path) -> nn.Module:
    """The network of a model, in evaluation mode; ``path`` is for messages."""
    try:
        if model.kind == "residual":
            weight_shapes(model.board.height, **model.architecture)  # checks the sizes
        # A network on "meta" takes no memory: the file may claim any size.
        with torch.device("meta"):
            network = new_network(model.kind, model.board, model.architecture, seed=0)
        weights = tensors_of(model.weights)
        if any(tensor.dtype != torch.float32 for tensor in weights.values()):
            raise ValueError("its weights are not of type float32")  # noqa: TRY301
        network.load_state_dict(weights, assign=True)
    except (TypeError, ValueError, RuntimeError) as error:
        reason = textwrap.shorten(str(error), MOST_CHARACTERS, placeholder=" ...")
        raise ModelError(f"{path}: the network cannot be made: {reason}") from None
    network.eval()
    return network


def watch_activations(network: nn.Module) -> list[torch.Tensor]:
    """The penalties of all later outputs of layers in training, until the list is cleared.

    The player computes in integers, which hold activations up to 127. Without penalties, training
    lets activations and policies grow, until the player's columns differ from the network's.
    """
    found: list[torch.Tensor] = []

    def of_layer(layer: nn.Module, _inputs: object, output: torch.Tensor) -> None:
        if layer.training and len(output):  # a side may have no position
            large = (output[:WATCHED].float() - CALM).relu()
            most = (large - CALM / 2).relu().flatten(1).sum(1)
            found.append(3 * large.mean() + 0.004 * most.mean())

    def of_policy(layer: nn.Module, _inputs: object, output: torch.Tensor) -> None:
        if layer.training and len(output):
            found.append(0.05 * (output.float().abs() - CALM_POLICY).relu().mean())

    for full_name, layer in network.named_modules():
        name = full_name.removeprefix("sides.0.").removeprefix("sides.1.")
        if name.startswith(("first", "column", "mixing", "blocks.")) and "outer" not in name:
            layer.register_forward_hook(of_layer)
        elif name == "policy":
            layer.register_forward_hook(of_policy)
    return found


def parameter_count(network: nn.Module) -> int:
    """The number of trainable parameters."""
    return sum(parameter.numel() for parameter in network.parameters() if parameter.requires_grad)


def tensors_of(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, torch.Tensor]:
    """Copy arrays to tensors."""
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def arrays_of(tensors: Mapping[str, torch.Tensor]) -> dict[str, NDArray[np.generic]]:
    """Copy tensors to arrays; training changes the tensors."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in tensors.items()}
