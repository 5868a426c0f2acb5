"""``NetworkCourse``: the base of the trainings of PyTorch's networks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from c4core.learning.errors import ModelError
from c4core.learning.networks import arrays_of, new_network, tensors_of
from c4core.training.loop import Course

if TYPE_CHECKING:
    from pathlib import Path

    from torch import nn

    from c4core.learning.modelfile import Model
    from c4core.notation import BoardSize
    from c4core.training.loop import Arrays


class NetworkCourse(Course):
    """A network, its data, and how it is trained, with Adam.

    Args:
        board: the board that the network plays on.
        architecture: the arguments of the network's class.
        settings: how and on which data it is trained, as JSON; ``seed`` and ``rate`` are required.
        epsilon: a small number in Adam's denominator.

    Attributes:
        network: the network that is trained.
        optimizer: the optimizer that trains it.
    """

    def __init__(
        self,
        board: BoardSize,
        architecture: dict[str, Any],
        settings: dict[str, Any],
        *,
        epsilon: float = 1e-8,
    ) -> None:
        super().__init__(board, architecture, settings)
        self.network: nn.Module = new_network(
            self.kind, board, architecture, seed=settings["seed"] % (1 << 63)
        )
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=settings["rate"], eps=epsilon
        )

    def generator(self, number: int) -> torch.Generator:
        """A generator for the random choices of an epoch."""
        return torch.Generator().manual_seed(self.seed_of(number))

    def learn(self, loss: torch.Tensor) -> None:
        """Take one step of the optimizer to make the loss smaller."""
        self.optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        self.optimizer.step()

    def weights(self) -> Arrays:
        """The network's tensors."""
        return arrays_of(self.network.state_dict())

    def optimizer_state(self) -> Arrays:
        """The optimizer's moments, with the names of their weights."""
        tensors = {
            f"{name}.{key}": value
            for name, parameter in self.network.named_parameters()
            for key, value in self.optimizer.state.get(parameter, {}).items()
        }
        return arrays_of(tensors)

    def restore(self, model: Model, path: Path) -> None:
        """Take over a model's weights and its optimizer's moments.

        Raises:
            ModelError: they do not fit the network.
        """
        try:
            self.network.load_state_dict(tensors_of(model.weights))
        except RuntimeError as error:
            raise ModelError(f"{path} cannot be resumed: {error}", path=str(path)) from None
        state = tensors_of(model.optimizer)
        shapes = {
            f"{name}.{key}": shape
            for name, parameter in self.network.named_parameters()
            for key, shape in (
                ("step", ()),
                ("exp_avg", parameter.shape),
                ("exp_avg_sq", parameter.shape),
            )
        }
        found = {name: tensor.shape for name, tensor in state.items()}
        if found != (shapes if model.history else {}) or any(
            tensor.dtype != torch.float32 for tensor in state.values()
        ):
            raise ModelError(
                f"{path} cannot be resumed: its optimizer is another one", path=str(path)
            )
        for name, parameter in self.network.named_parameters():
            if model.history:
                self.optimizer.state[parameter] = {
                    key: state[f"{name}.{key}"] for key in ("step", "exp_avg", "exp_avg_sq")
                }
