"""Makes networks of every kind from their descriptions and weights."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, Final

import torch

from c4core.learning.cnn import FinalGridNetwork
from c4core.learning.columns import ColumnNetwork
from c4core.learning.errors import ModelError
from c4core.learning.exact import ExactNetwork
from c4core.learning.modelfile import LARGEST
from c4core.learning.residual import ResidualNetwork

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from torch import nn

    from c4core.learning.modelfile import Model
    from c4core.notation import BoardSize

_CLASSES: Final = {
    "cnn": FinalGridNetwork,
    "exact": ExactNetwork,
    "selfplay": ColumnNetwork,
    "residual": ResidualNetwork,
}


def new_network(
    kind: str, board: BoardSize, architecture: Mapping[str, Any], *, seed: int
) -> nn.Module:
    """A network with random weights. PyTorch's global generator is not changed.

    Args:
        kind: one of :data:`c4core.learning.modelfile.KINDS`.
        board: the board that the network plays on.
        architecture: the arguments of the network's class.
        seed: the seed of the weights.

    Raises:
        LearningError: the arguments are impossible on this board.
        TypeError: an argument has an unknown name.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network: nn.Module = _CLASSES[kind](board, **architecture)
        return network


def network_of(model: Model, path: Path) -> nn.Module:
    """The network of a model, ready to be evaluated.

    Args:
        model: the content of a file.
        path: the file, for messages.

    Raises:
        ModelError: the weights do not fit the architecture.
    """
    try:
        # On "meta" it takes no memory: the file may claim any size.
        with torch.device("meta"):
            network = new_network(model.kind, model.board, checked(model.architecture), seed=0)
        network.load_state_dict(_weights(model), assign=True)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ModelError(f"{path}: the network cannot be made: {error}", path=str(path)) from None
    network.eval()
    return network


def parameter_count(network: nn.Module) -> int:
    """The number of trainable parameters."""
    return sum(parameter.numel() for parameter in network.parameters() if parameter.requires_grad)


def _weights(model: Model) -> dict[str, torch.Tensor]:
    weights = tensors_of(model.weights)
    if any(tensor.dtype != torch.float32 for tensor in weights.values()):
        raise ValueError("its weights are not of type float32")
    return weights


def checked(architecture: Mapping[str, Any]) -> Mapping[str, Any]:
    """Check the limits of the arguments of a network's class, and return them.

    Raises:
        ValueError: an argument is out of range.
    """
    for name, most in LARGEST.items():
        number = architecture.get(name, 1)
        if type(number) is not int or not 1 <= number <= most:
            raise ValueError(f"{name} cannot be {reprlib.repr(number)}: it is 1 to {most}")
    return architecture


def tensors_of(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, torch.Tensor]:
    """Copies of arrays, as tensors."""
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def arrays_of(tensors: Mapping[str, torch.Tensor]) -> dict[str, NDArray[np.generic]]:
    """Copies of tensors, as arrays. They are copies because training changes the tensors."""
    return {name: tensor.detach().numpy().copy() for name, tensor in tensors.items()}
