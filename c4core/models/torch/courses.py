"""Train PyTorch networks with Adam, on final grids of games or on exact labels.

``FinalGridCourse`` is the training of Brewer 2017: a network learns to predict the winner from the
final grid of a game. The loss is the mean squared error. 70 % of the grids are for training, the
others for the test after every epoch.

``ExactCourse`` and ``ResidualCourse`` learn from exact labels. In every step, half of the positions
are mirrored at random. The losses are:

- for the policy, the negative logarithm of the total probability of all best columns, so the
  network may choose any of them. Full columns are left out. The residual network has a second loss
  of this form, for all columns that keep the result;
- for the value, the cross entropy of loss, draw and win;
- for the residual network's scores, the mean squared error over the open columns.

For the residual network, quiet and decisive positions may weigh more than others, so that it does
not learn mostly from wins in one.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import numpy as np
import torch
from torch.nn import functional
from torch.nn.utils import convert_conv2d_weight_memory_format

from c4core.errors import LearningError, ModelError
from c4core.evaluation import NO_SCORE
from c4core.models.evaluator import input_planes, words_of_planes
from c4core.models.labels import course_settings
from c4core.models.loop import Course
from c4core.models.quality import weights_of
from c4core.models.torch.networks import (
    MOST_CHARACTERS,
    STAR_PLANES,
    ResidualOutputs,
    arrays_of,
    new_network,
    tensors_of,
)
from c4core.models.torch.playing import SURE, final_outputs, quality_of_network, share_of_best

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from c4core.models.files import Model
    from c4core.models.labels import Labelled, Positions
    from c4core.models.loop import Arrays, Figures, Tell
    from c4core.models.torch.networks import Padding
    from c4core.notation import BoardSize

Precision = Literal["float32", "bfloat16"]
"""The number format of the network's computations in training; weights are always float32."""

TEST_SHARE: Final = 0.3
"""The share of final grids that are for the test."""
EXACT_DECAY: Final = 0.9
"""The factor of the learning rate of ``ExactCourse`` after every epoch."""
SCORE_WEIGHT: Final = 2.0
"""The weight of the loss of the scores; the other losses weigh 1."""
WARM_UP: Final = 0.1
"""The share of an epoch in which the residual network's learning rate rises to its first value."""

_BREWERS_EPSILON: Final = 1e-7
"""Adam's epsilon in the library that Brewer used."""
_NEVER: Final = float("-inf")

_PIECE: Final = 1 << 16
"""The number of positions whose planes are computed in one step; this limits the memory."""


class NetworkCourse(Course):
    """A network in training with Adam, with its data and parameters.

    Args:
        architecture: the arguments of the network's class.
        settings: the training's parameters and data, as JSON; ``seed`` and ``rate`` are required.
        epsilon: the small number in Adam's denominator.
        device: the device of PyTorch that trains, such as ``cuda``.

    Raises:
        LearningError: PyTorch does not find the device.
    """

    def __init__(
        self,
        board: BoardSize,
        architecture: dict[str, Any],
        settings: dict[str, Any],
        *,
        epsilon: float = 1e-8,
        device: str = "cpu",
    ) -> None:
        super().__init__(board, architecture, settings)
        self.network: nn.Module = new_network(
            self.kind, board, architecture, seed=settings["seed"] % (1 << 63)
        )
        try:
            torch.zeros(1, device=device).cpu()
        except (AssertionError, RuntimeError) as error:
            reason = textwrap.shorten(str(error), MOST_CHARACTERS, placeholder=" ...")
            raise LearningError(f"PyTorch cannot use the device {device!r:.80}: {reason}") from None
        self.network.to(device)
        self.device = device
        self.optimizer = torch.optim.Adam(
            self.network.parameters(), lr=settings["rate"], eps=epsilon
        )

    def generator(self, number: int) -> torch.Generator:
        """A random generator for the choices of an epoch."""
        return torch.Generator().manual_seed(self.seed_of(number))

    def learn(self, loss: torch.Tensor) -> None:
        """Make one step of the optimizer that lowers the loss."""
        self.optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        self.optimizer.step()

    def weights(self) -> Arrays:
        """The network's tensors."""
        return arrays_of(self.network.state_dict())

    def optimizer_state(self) -> Arrays:
        """The optimizer's moments, by the names of their weights."""
        tensors = {
            f"{name}.{key}": value
            for name, parameter in self.network.named_parameters()
            for key, value in self.optimizer.state.get(parameter, {}).items()
        }
        return arrays_of(tensors)

    def restore(self, model: Model, path: Path) -> None:
        """Load a model's weights and its optimizer's moments.

        Raises:
            ModelError: the arrays do not fit the network.
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
                f"{path} cannot be resumed: its optimizer does not fit", path=str(path)
            )
        for name, parameter in self.network.named_parameters():
            if model.history:
                self.optimizer.state[parameter] = {
                    "step": state[f"{name}.step"],  # Adam counts its steps on the CPU
                    "exp_avg": state[f"{name}.exp_avg"].to(self.device),
                    "exp_avg_sq": state[f"{name}.exp_avg_sq"].to(self.device),
                }


class FinalGridCourse(NetworkCourse):
    """The training of the network of Brewer 2017.

    Args:
        padding: the padding of the network's convolution.
        batch: the number of grids in a step.
        rate: Adam's learning rate.

    Raises:
        LearningError: there are too few games to split, or the board is too small.
    """

    kind: ClassVar[str] = "cnn"

    def __init__(
        self,
        games: Labelled,
        *,
        padding: Padding = "same",
        batch: int = 1000,
        rate: float = 0.01,
        seed: int = 0,
    ) -> None:
        tested = round(TEST_SHARE * len(games))
        if not 0 < tested < len(games):
            raise LearningError(f"{len(games)} different games are too few to train and test on")
        settings = {
            "seed": seed,
            "batch": batch,
            "rate": rate,
            "games": len(games),
            "data": games.fingerprint,
        }
        super().__init__(games.board, {"padding": padding}, settings, epsilon=_BREWERS_EPSILON)
        order = torch.randperm(len(games), generator=self.generator(0))
        grids = torch.from_numpy(games.grids)
        won = torch.from_numpy(games.won)
        self._train = grids[order[tested:]], won[order[tested:]]
        self.test = grids[order[:tested]], won[order[:tested]]
        """The grids for the test, and whether player 1 has won."""

    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train on every grid once, then test. The loss and accuracy are means over the epoch."""
        grids, won = self._train
        order = torch.randperm(len(won), generator=self.generator(number))
        batches = torch.split(order, self.settings["batch"])
        self.network.train()
        loss_sum, right = 0.0, 0
        for done, batch in enumerate(batches):
            tell(done, len(batches))
            outputs, targets = self.network(grids[batch].float()), won[batch].float()
            loss = functional.mse_loss(outputs, targets)
            self.learn(loss)
            loss_sum += loss.item() * len(batch)
            right += int(((outputs > SURE) == won[batch]).sum())
        tested = final_outputs(self.network, self.test[0])
        return {
            "loss": loss_sum / len(won),
            "accuracy": right / len(won),
            "test_loss": functional.mse_loss(tested, self.test[1].float()).item(),
            "test_accuracy": ((tested > SURE) == self.test[1]).float().mean().item(),
        }


class ExactCourse(NetworkCourse):
    """The training of a network with a policy head and a value head.

    :class:`c4core.models.torch.networks.ExactNetwork` describes the sizes.

    Args:
        held_out: the positions for the test after every epoch.
        batch: the number of positions in a step.
        rate: Adam's learning rate in the first epoch.

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
        batch: int = 256,
        rate: float = 0.002,
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
            group["lr"] = self.settings["rate"] * EXACT_DECAY ** (number - 1)
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
        """The losses of the policy and of the value for a batch."""
        planes = turned(self._planes[batch], mirrored).float()
        best, is_open = (turned(part[batch], mirrored) for part in (self._best, self._open))
        outputs = self.network(planes)
        policy = policy_losses(outputs.policy, best, is_open).mean()
        return policy, functional.cross_entropy(outputs.value, self._value[batch])


class ResidualCourse(NetworkCourse):
    """The training of a network with policy, value and scores.

    :class:`c4core.models.torch.networks.ResidualNetwork` describes the sizes.

    Args:
        held_out: the positions for the test after every epoch.
        batch: the number of positions in a step.
        rate: Adam's learning rate after the warm-up.
        decay: the factor of the learning rate per epoch, applied step by step.
        quiet_weight: the weight of a quiet position; other positions weigh 1.
        decisive_weight: the weight of a decisive position. If a position is quiet and decisive, the
            weights are multiplied.
        precision: the number format in training. ``bfloat16`` takes half the time on processors
            with instructions for it.
        device: the device of PyTorch that trains, such as ``cuda``. Another device, like another
            number of threads, gives slightly different weights.

    Raises:
        LearningError: the two sets have different boards, the network's sizes are impossible, or
            PyTorch does not find the device.
    """

    kind: ClassVar[str] = "residual"

    def __init__(
        self,
        positions: Positions,
        held_out: Positions,
        *,
        channels: int = 32,
        blocks: int = 4,
        hidden: int = 32,
        batch: int = 256,
        rate: float = 0.004,
        decay: float = 0.6,
        quiet_weight: float = 1.0,
        decisive_weight: float = 1.0,
        precision: Precision = "float32",
        device: str = "cpu",
        seed: int = 0,
    ) -> None:
        settings = course_settings(
            positions,
            held_out,
            {
                "seed": seed,
                "batch": batch,
                "rate": rate,
                "decay": decay,
                "quiet_weight": quiet_weight,
                "decisive_weight": decisive_weight,
                "precision": precision,
            },
        )
        architecture = {"channels": channels, "blocks": blocks, "hidden": hidden}
        super().__init__(positions.board, architecture, settings, device=device)
        convert_conv2d_weight_memory_format(self.network, torch.channels_last)
        arrays = (
            packed_planes(positions),
            positions.best != 0,
            positions.is_open,
            positions.value,
            positions.column_scores,
            weights_of(positions, quiet=quiet_weight, decisive=decisive_weight),
        )
        self._bits, self._best, self._open, self._value, self._scores, self._weights = (
            torch.from_numpy(array).to(device) for array in arrays
        )
        self._held_out = held_out

    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train on every position once, then test on the held-out ones."""
        generator = self.generator(number)
        order = torch.randperm(len(self._value), generator=generator).to(self.device)
        batches = torch.split(order, self.settings["batch"])
        self.network.train()
        sums = torch.zeros(4, device=self.device)
        for done, batch in enumerate(batches):
            tell(done, len(batches))
            self._set_rate((number - 1) * len(batches) + done, len(batches))
            mirrored = (torch.rand(len(batch), generator=generator) < 0.5).to(self.device)  # noqa: PLR2004
            losses = self.losses(batch, mirrored).mean(1)
            self.learn(losses[0] + losses[1] + losses[2] + SCORE_WEIGHT * losses[3])
            sums += losses.detach() * len(batch)
        policy, kept, value, score = (sums / len(self._value)).tolist()
        self.network.eval()
        tested = share_of_best(self.network, self.kind, self._held_out)
        quality = quality_of_network(self.network, self.kind, self._held_out, mirrors=False)
        return {
            "policy_loss": policy,
            "kept_loss": kept,
            "value_loss": value,
            "score_loss": score,
            **quality.figures,
            "value_accuracy": tested.value_share or 0.0,
        }

    def _set_rate(self, step: int, steps_of_epoch: int) -> None:
        """Set the learning rate of a step; steps are counted from 0 over all epochs."""
        epochs = step / steps_of_epoch
        rate = self.settings["rate"] * self.settings["decay"] ** epochs
        for group in self.optimizer.param_groups:
            group["lr"] = rate * min(1.0, (epochs + 1 / steps_of_epoch) / WARM_UP)

    def losses(self, batch: torch.Tensor, mirrored: torch.Tensor) -> torch.Tensor:
        """(4, n): the losses of n positions: best columns, kept results, value, and scores.

        Args:
            batch: (n,), the positions' indices.
            mirrored: (n,), whether each position is mirrored.
        """
        inputs = turned(unpacked_planes(self._bits[batch], self.board), mirrored).float()
        with torch.autocast(
            torch.device(self.device).type,
            torch.bfloat16,
            enabled=self.settings["precision"] == "bfloat16",
        ):
            found = self.network(inputs.contiguous(memory_format=torch.channels_last))
        outputs = ResidualOutputs(*(each.float() for each in found))
        best, is_open, scores = (
            turned(part[batch], mirrored) for part in (self._best, self._open, self._scores)
        )
        results = self._value[batch].long() + 1
        keeps = is_open & (scores.sign() == (results - 1).unsqueeze(1))
        wanted = scores.float() / ((self.board.cells + 1) // 2)
        errors = (outputs.scores - wanted).square().masked_fill(scores == NO_SCORE, 0.0)
        losses = [
            policy_losses(outputs.policy, best, is_open),
            policy_losses(outputs.policy, keeps, is_open),
            functional.cross_entropy(outputs.value, results, reduction="none"),
            errors.sum(1) / is_open.sum(1),
        ]
        return torch.stack(losses) * self._weights[batch]


def packed_planes(positions: Positions) -> NDArray[np.uint8]:
    """(n, bytes): the planes of n positions, a bit for each square.

    The planes of :mod:`c4core.models.evaluator` would take eight times the memory.
    """
    own, mask = words_of_planes(positions.planes)
    width, height = positions.board
    packed = []
    for first in range(0, len(own), _PIECE):
        part = slice(first, first + _PIECE)
        planes = input_planes(own[part], mask[part], width=width, height=height)
        packed.append(np.packbits(planes.reshape(len(planes), -1), axis=1))
    return np.concatenate(packed)


def unpacked_planes(packed: torch.Tensor, board: BoardSize) -> torch.Tensor:
    """(n, planes, height, width): the planes of :func:`packed_planes`, on the same device."""
    places = torch.arange(7, -1, -1, device=packed.device, dtype=torch.uint8)
    bits = (packed.unsqueeze(2) >> places) & 1
    used = bits.flatten(1)[:, : STAR_PLANES * board.cells]
    return used.view(-1, STAR_PLANES, board.height, board.width)


def policy_losses(policy: torch.Tensor, best: torch.Tensor, is_open: torch.Tensor) -> torch.Tensor:
    """(n,): the negative logarithm of the total probability of all best columns.

    All arguments are (n, width); the policy has logits.
    """
    logits = policy.masked_fill(~is_open, _NEVER)
    losses: torch.Tensor = logits.logsumexp(1) - logits.masked_fill(~best, _NEVER).logsumexp(1)
    return losses


def turned(tensor: torch.Tensor, mirrored: torch.Tensor) -> torch.Tensor:
    """Mirror the marked rows of a tensor; its last axis is the board's columns."""
    where = mirrored.view(-1, *[1] * (tensor.dim() - 1))
    return torch.where(where, tensor.flip(-1), tensor)
