"""Networks of every kind, made from their description and filled with weights."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING, Any, Final

import torch

from c4core.learning.columns import ColumnNetwork
from c4core.learning.errors import ModelError
from c4core.learning.exact import ExactNetwork
from c4core.learning.modelfile import LARGEST
from c4core.learning.network import FinalGridNetwork

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from torch import nn

    from c4core.learning.modelfile import Model
    from c4core.notation import BoardSize

_CLASSES: Final = {"cnn": FinalGridNetwork, "exact": ExactNetwork, "selfplay": ColumnNetwork}


def new_network(
    kind: str, board: BoardSize, architecture: Mapping[str, Any], *, seed: int
) -> nn.Module:
    """A network with random weights; the generator that everybody shares is left as it was.

    Args:
        kind: one of :data:`c4core.learning.modelfile.KINDS`.
        board: that it plays on.
        architecture: the arguments of its class.
        seed: the same one gives the same weights.

    Raises:
        LearningError: there is no such network.
        TypeError: an argument has an unknown name.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network: nn.Module = _CLASSES[kind](board, **architecture)
        return network


def network_of(model: Model, path: Path) -> nn.Module:
    """The network of a model, ready to be asked.

    Args:
        model: of a file.
        path: the file, for messages.

    Raises:
        ModelError: its weights do not fit what it says of its network.
    """
    try:
        # Without memory at first: what the file says of its network may be anything.
        with torch.device("meta"):
            network = new_network(model.kind, model.board, checked(model.architecture), seed=0)
        network.load_state_dict(_weights(model), assign=True)
    except (TypeError, ValueError, RuntimeError) as error:
        raise ModelError(f"{path}: the network cannot be made: {error}", path=str(path)) from None
    network.eval()
    return network


def _weights(model: Model) -> dict[str, torch.Tensor]:
    weights = tensors_of(model.weights)
    if any(tensor.dtype != torch.float32 for tensor in weights.values()):
        raise ValueError("its weights are not of type float32")
    return weights


def checked(architecture: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a network's class, once they are known to be within the limits.

    Raises:
        ValueError: they are not.
    """
    for name, most in LARGEST.items():
        number = architecture.get(name, 1)
        if type(number) is not int or not 1 <= number <= most:
            raise ValueError(f"{name} cannot be {reprlib.repr(number)}: it is 1 to {most}")
    return architecture


def tensors_of(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, torch.Tensor]:
    """Arrays as tensors of their own."""
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}


def arrays_of(tensors: Mapping[str, torch.Tensor]) -> dict[str, NDArray[np.generic]]:
    """Tensors as arrays that do not change when training goes on."""
    return {name: tensor.detach().numpy().copy() for name, tensor in tensors.items()}
