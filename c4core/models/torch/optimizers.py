"""The optimizers of a network, and their state as arrays.

Adam can learn all weights. Muon (Jordan 2024) learns matrices only: with it, Adam learns the biases
and the last layers, which give policies, scores and values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import torch

from c4core.models.torch.networks import arrays_of, tensors_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray
    from torch import nn

    Arrays = Mapping[str, NDArray[np.generic]]

LAST_LAYERS: Final = ("policy", "score", "value")
ADAM: Final = 0.2
"""Adam's learning rate beside Muon, as a share of Muon's."""
DECAY: Final = 0.1
"""Muon's weight decay. Without it weights grow, and the network learns more and more slowly."""


class Optimizers:
    """Adam, or Muon and Adam, for the weights of a network."""

    def __init__(
        self, network: nn.Module, *, with_muon: bool = False, epsilon: float = 1e-8
    ) -> None:
        self._parameters = dict(network.named_parameters())
        self._learned: dict[str, torch.Tensor] = dict(self._parameters)
        """The tensors that the optimizers change: parameters, and matrices with their memory."""
        self._muon: dict[str, torch.Tensor] = {}
        if with_muon:
            for name, parameter in self._parameters.items():
                if parameter.dim() > 1 and name.split(".")[-2] not in LAST_LAYERS:
                    weights = outputs_first(parameter.detach())
                    self._muon[name] = weights.view(len(weights), -1)
            self._learned |= self._muon
        others = [each for name, each in self._learned.items() if name not in self._muon]
        self._optimizers: list[tuple[torch.optim.Optimizer, float]] = [
            (torch.optim.Adam(others, eps=epsilon), ADAM if with_muon else 1.0)
        ]
        if with_muon:
            muon = torch.optim.Muon(self._muon.values(), weight_decay=DECAY)
            self._optimizers.append((muon, 1.0))

    def learn(self, loss: torch.Tensor, rate: float) -> None:
        """Make one step that lowers the loss, with this learning rate."""
        gradients = torch.autograd.grad(loss, list(self._parameters.values()))
        for name, gradient in zip(self._parameters, gradients, strict=True):
            learned = self._learned[name]
            whole = outputs_first(gradient) if name in self._muon else gradient
            learned.grad = whole.reshape(learned.shape)
        for optimizer, share in self._optimizers:
            for group in optimizer.param_groups:
                group["lr"] = rate * share
            optimizer.step()

    def state(self) -> Arrays:
        """Copies of the optimizers' tensors, by the names of the weights; empty before a step."""
        return arrays_of(
            {
                f"{name}.{key}": tensor
                for optimizer, _ in self._optimizers
                for name, learned in self._learned.items()
                for key, tensor in optimizer.state.get(learned, {}).items()
            }
        )

    def restore(self, arrays: Arrays) -> None:
        """Continue from the tensors of :meth:`state`."""
        state = tensors_of(arrays)
        if state.keys() != {f"{name}.{key}" for name in self._learned for key in self._keys(name)}:
            raise ValueError("its optimizer does not fit")
        for name, learned in self._learned.items():
            found = {key: state[f"{name}.{key}"] for key in self._keys(name)}
            for key, tensor in found.items():
                shape = () if key == "step" else learned.shape
                if tensor.shape != shape or tensor.dtype != torch.float32:
                    raise ValueError("its optimizer does not fit")
                if key != "step":  # Adam counts its steps on the CPU
                    found[key] = tensor.to(learned.device)
            optimizer, _ = self._optimizers[name in self._muon]
            optimizer.state[learned] = found

    def _keys(self, name: str) -> tuple[str, ...]:
        return ("momentum_buffer",) if name in self._muon else ("step", "exp_avg", "exp_avg_sq")


def outputs_first(weights: torch.Tensor) -> torch.Tensor:
    """Weights in the order of their memory; the channels of convolutions are last there."""
    return weights.movedim(1, -1) if weights.dim() > 3 else weights  # noqa: PLR2004
