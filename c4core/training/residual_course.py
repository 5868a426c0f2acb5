"""Training of the residual network on exact labels.

The policy has two losses: minus the logarithm of the probability of all best columns together, and
the same of all columns that keep the result. The value's is the cross entropy of loss, draw and
win; that of the scores is the squared error over the open columns. Quiet and decisive positions may
weigh more than others, so that the network does not learn mostly from wins in one. Half of the
positions of every step, drawn at random, are mirrored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal

import torch
from torch.nn import functional
from torch.nn.utils import convert_conv2d_weight_memory_format

from c4core.batch import UNPLAYABLE
from c4core.inference.planes import input_planes, words_of_planes
from c4core.learning.residual import ResidualOutputs
from c4core.training.exact_course import policy_losses, turned
from c4core.training.labels import course_settings
from c4core.training.network_course import NetworkCourse
from c4core.training.quality import weights_of
from c4core.training.report import quality_of_network, share_of_best

if TYPE_CHECKING:
    from c4core.training.labels import Positions
    from c4core.training.loop import Figures, Tell

CHANNELS: Final = 32
BLOCKS: Final = 4
HIDDEN: Final = 32
BATCH: Final = 256
RATE: Final = 0.004
DECAY: Final = 0.6
"""The learning rate falls by this factor in every epoch, evenly from step to step."""
EPOCHS: Final = 7
WEIGHT: Final = 1.0
"""How much more a quiet position weighs, and a decisive one."""
SCORE_WEIGHT: Final = 2.0
"""The weight of the scores' loss; those of the others are 1."""
WARM_UP: Final = 0.1
"""The share of an epoch in which the learning rate rises to its first value."""

Precision = Literal["float32", "bfloat16"]
"""In which numbers the network is computed while it learns; weights are always float32."""


class ResidualCourse(NetworkCourse):
    """Trains a network with policy, value and scores.

    Args:
        positions: the positions for the training.
        held_out: the positions for the test after every epoch.
        channels: the number of filters of each convolution.
        blocks: the number of pairs of convolutions.
        hidden: the number of units of a column.
        batch: the number of positions in a step.
        rate: Adam's learning rate at the beginning.
        decay: the factor by which the learning rate falls in every epoch.
        quiet_weight: how much a quiet position weighs; others weigh 1.
        decisive_weight: the same for decisive ones; one that is both has both weights multiplied.
        precision: of the network's numbers while it learns. ``bfloat16`` takes half the time on
            processors that have instructions for it.
        seed: the seed of the weights, the order of positions and the mirroring.

    Raises:
        LearningError: the two sets have different boards, or the network's sizes are impossible.
    """

    kind: ClassVar[str] = "residual"

    def __init__(
        self,
        positions: Positions,
        held_out: Positions,
        *,
        channels: int = CHANNELS,
        blocks: int = BLOCKS,
        hidden: int = HIDDEN,
        batch: int = BATCH,
        rate: float = RATE,
        decay: float = DECAY,
        quiet_weight: float = WEIGHT,
        decisive_weight: float = WEIGHT,
        precision: Precision = "float32",
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
        super().__init__(positions.board, architecture, settings)
        convert_conv2d_weight_memory_format(self.network, torch.channels_last)
        self._own, self._mask = words_of_planes(positions.planes)
        self._best = torch.from_numpy(positions.best != 0)
        self._open = torch.from_numpy(positions.is_open)
        self._value = torch.from_numpy(positions.value).long() + 1
        self._scores = torch.from_numpy(positions.column_scores)
        self._weights = torch.from_numpy(
            weights_of(positions, quiet=quiet_weight, decisive=decisive_weight)
        )
        self._held_out = held_out

    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train on every position once, then test on the held-out ones."""
        generator = self.generator(number)
        order = torch.randperm(len(self._value), generator=generator)
        batches = torch.split(order, self.settings["batch"])
        self.network.train()
        sums = torch.zeros(4)
        for done, batch in enumerate(batches):
            tell(done, len(batches))
            self._set_rate((number - 1) * len(batches) + done, len(batches))
            mirrored = torch.rand(len(batch), generator=generator) < 0.5  # noqa: PLR2004
            losses = self._losses(batch, mirrored)
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

    def _losses(self, batch: torch.Tensor, mirrored: torch.Tensor) -> torch.Tensor:
        """The weighted losses of the policy (two), of value and scores for some positions, (4,)."""
        rows = batch.numpy()
        width, height = self.board
        planes = input_planes(self._own[rows], self._mask[rows], width=width, height=height)
        inputs = turned(torch.from_numpy(planes), mirrored).float()
        with torch.autocast(
            "cpu", torch.bfloat16, enabled=self.settings["precision"] == "bfloat16"
        ):
            found = self.network(inputs.contiguous(memory_format=torch.channels_last))
        outputs = ResidualOutputs(*(each.float() for each in found))
        best, is_open, scores = (
            turned(part[batch], mirrored) for part in (self._best, self._open, self._scores)
        )
        results = self._value[batch]
        keeps = is_open & (scores.sign() == (results - 1).unsqueeze(1))
        wanted = scores.float() / ((self.board.cells + 1) // 2)
        errors = (outputs.scores - wanted).square().masked_fill(scores == UNPLAYABLE, 0.0)
        losses = [
            policy_losses(outputs.policy, best, is_open),
            policy_losses(outputs.policy, keeps, is_open),
            functional.cross_entropy(outputs.value, results, reduction="none"),
            errors.sum(1) / is_open.sum(1),
        ]
        return (torch.stack(losses) * self._weights[batch]).mean(1)
