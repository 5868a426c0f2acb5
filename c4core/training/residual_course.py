"""Training of the residual network on exact labels.

The policy's loss is minus the logarithm of the probability of all best columns together; the
value's is the cross entropy of loss, draw and win; that of the scores is the squared error over the
open columns. Quiet and decisive positions weigh more than others, so that the network does not
learn mostly from wins in one. Half of the positions of every step, drawn at random, are mirrored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import torch
from torch.nn import functional

from c4core.batch import UNPLAYABLE
from c4core.inference.planes import input_planes, words_of_planes
from c4core.learning.errors import LearningError
from c4core.training.exact_course import policy_losses, turned
from c4core.training.network_course import NetworkCourse
from c4core.training.quality import weights_of
from c4core.training.report import quality_of_network, share_of_best

if TYPE_CHECKING:
    from c4core.training.labels import Positions
    from c4core.training.loop import Figures, Tell

CHANNELS: Final = 24
BLOCKS: Final = 2
HIDDEN: Final = 32
BATCH: Final = 256
RATE: Final = 0.002
DECAY: Final = 0.9
"""The learning rate is multiplied by this after every epoch."""
EPOCHS: Final = 20
WEIGHT: Final = 2.0
"""How much more a quiet position weighs, and a decisive one."""
SCORE_WEIGHT: Final = 0.5
"""The weight of the scores' loss among the three."""


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
        decay: the factor of the learning rate after every epoch.
        quiet_weight: how much a quiet position weighs; others weigh 1.
        decisive_weight: the same for decisive ones; one that is both has both weights multiplied.
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
        seed: int = 0,
    ) -> None:
        if positions.board != held_out.board:
            raise LearningError(f"trained on {positions.board}, tested on {held_out.board}")
        settings = {
            "seed": seed,
            "batch": batch,
            "rate": rate,
            "decay": decay,
            "quiet_weight": quiet_weight,
            "decisive_weight": decisive_weight,
            "positions": len(positions),
            "data": positions.fingerprint,
        }
        architecture = {"channels": channels, "blocks": blocks, "hidden": hidden}
        super().__init__(positions.board, architecture, settings)
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
        for group in self.optimizer.param_groups:
            group["lr"] = self.settings["rate"] * self.settings["decay"] ** (number - 1)
        order = torch.randperm(len(self._value), generator=generator)
        batches = torch.split(order, self.settings["batch"])
        self.network.train()
        sums = torch.zeros(3)
        for done, batch in enumerate(batches):
            tell(done, len(batches))
            mirrored = torch.rand(len(batch), generator=generator) < 0.5  # noqa: PLR2004
            losses = self._losses(batch, mirrored)
            self.learn(losses[0] + losses[1] + SCORE_WEIGHT * losses[2])
            sums += losses.detach() * len(batch)
        policy, value, score = (sums / len(self._value)).tolist()
        self.network.eval()
        tested = share_of_best(self.network, self.kind, self._held_out)
        quality = quality_of_network(self.network, self.kind, self._held_out, mirrors=False)
        return {
            "policy_loss": policy,
            "value_loss": value,
            "score_loss": score,
            **quality.figures,
            "value_accuracy": tested.value_share or 0.0,
        }

    def _losses(self, batch: torch.Tensor, mirrored: torch.Tensor) -> torch.Tensor:
        """The weighted losses of policy, value and scores for some positions, (3,)."""
        rows = batch.numpy()
        width, height = self.board
        planes = input_planes(self._own[rows], self._mask[rows], width=width, height=height)
        outputs = self.network(turned(torch.from_numpy(planes), mirrored).float())
        best, is_open, scores = (
            turned(part[batch], mirrored) for part in (self._best, self._open, self._scores)
        )
        policy = policy_losses(outputs.policy, best, is_open)
        value = functional.cross_entropy(outputs.value, self._value[batch], reduction="none")
        wanted = scores.float() / ((self.board.cells + 1) // 2)
        errors = (outputs.scores - wanted).square().masked_fill(scores == UNPLAYABLE, 0.0)
        score = errors.sum(1) / is_open.sum(1)
        return (torch.stack([policy, value, score]) * self._weights[batch]).mean(1)
