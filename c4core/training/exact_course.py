"""Training on exact labels: the best columns, and the result.

The policy's loss is minus the logarithm of the probability of all best columns together, with full
columns left out. So any of several best columns will do. The value's loss is the cross entropy of
loss, draw and win. Half of the positions of every step, drawn at random, are mirrored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import torch
from torch.nn import functional

from c4core.training.labels import course_settings
from c4core.training.network_course import NetworkCourse
from c4core.training.report import share_of_best

if TYPE_CHECKING:
    from c4core.training.labels import Positions
    from c4core.training.loop import Figures, Tell

BATCH: Final = 256
RATE: Final = 0.002
DECAY: Final = 0.9
"""The learning rate is multiplied by this after every epoch."""
EPOCHS: Final = 20

_NEVER: Final = float("-inf")


class ExactCourse(NetworkCourse):
    """Trains a network with a policy and a value head.

    Args:
        positions: the positions for the training.
        held_out: the positions for the test after every epoch.
        channels: the number of filters of each convolution.
        layers: the number of convolutions.
        hidden: the number of features, the input of both heads.
        batch: the number of positions in a step.
        rate: Adam's learning rate at the beginning.
        seed: the seed of the weights, the order of positions and the mirroring.

    Raises:
        LearningError: the two sets of positions have different boards.
    """

    kind: ClassVar[str] = "exact"

    def __init__(
        self,
        positions: Positions,
        held_out: Positions,
        *,
        channels: int = 64,
        layers: int = 3,
        hidden: int = 128,
        batch: int = BATCH,
        rate: float = RATE,
        seed: int = 0,
    ) -> None:
        settings = course_settings(
            positions, held_out, {"seed": seed, "batch": batch, "rate": rate}
        )
        architecture = {"channels": channels, "layers": layers, "hidden": hidden}
        super().__init__(positions.board, architecture, settings)
        self._planes = torch.from_numpy(positions.planes)
        self._best = torch.from_numpy(positions.best != 0)
        self._open = torch.from_numpy(positions.is_open)
        self._value = torch.from_numpy(positions.value).long() + 1
        self._held_out = held_out

    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train on every position once, then test on the held-out ones."""
        generator = self.generator(number)
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings["rate"] * DECAY ** (number - 1)
        order = torch.randperm(len(self._value), generator=generator)
        batches = torch.split(order, self.settings["batch"])
        self.network.train()
        policy_sum = value_sum = 0.0
        for done, batch in enumerate(batches):
            tell(done, len(batches))
            mirrored = torch.rand(len(batch), generator=generator) < 0.5  # noqa: PLR2004
            policy, value = self._losses(batch, mirrored)
            self.learn(policy + value)
            policy_sum += policy.item() * len(batch)
            value_sum += value.item() * len(batch)
        tested = share_of_best(self.network, self.kind, self._held_out)
        return {
            "policy_loss": policy_sum / len(self._value),
            "value_loss": value_sum / len(self._value),
            "best_share": tested.best_share,
            "value_accuracy": tested.value_share or 0.0,
        }

    def _losses(
        self, batch: torch.Tensor, mirrored: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The losses of the policy and of the value for some positions."""
        planes = turned(self._planes[batch], mirrored).float()
        best, is_open = (turned(part[batch], mirrored) for part in (self._best, self._open))
        outputs = self.network(planes)
        policy = policy_losses(outputs.policy, best, is_open).mean()
        return policy, functional.cross_entropy(outputs.value, self._value[batch])


def policy_losses(policy: torch.Tensor, best: torch.Tensor, is_open: torch.Tensor) -> torch.Tensor:
    """Minus the logarithm of the probability of all best columns together, (n,).

    Args:
        policy: (n, width), the logits of all columns.
        best: (n, width), whether each column is a best one.
        is_open: (n, width), whether each column is not full.
    """
    logits = policy.masked_fill(~is_open, _NEVER)
    losses: torch.Tensor = logits.logsumexp(1) - logits.masked_fill(~best, _NEVER).logsumexp(1)
    return losses


def turned(tensor: torch.Tensor, mirrored: torch.Tensor) -> torch.Tensor:
    """Mirror some rows of a tensor; its last axis is the board's columns."""
    where = mirrored.view(-1, *[1] * (tensor.dim() - 1))
    return torch.where(where, tensor.flip(-1), tensor)
