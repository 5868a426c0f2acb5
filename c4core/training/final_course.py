"""The training of Brewer 2017: a network learns to tell the winner from the final grid of a game.

It uses Adam and the mean squared error. 70 % of the grids are for the training, the others for the
test after every epoch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

import torch
from torch.nn import functional

from c4core.learning.cnn import SURE, final_outputs
from c4core.learning.errors import LearningError
from c4core.training.network_course import NetworkCourse

if TYPE_CHECKING:
    from c4core.learning.cnn import Padding
    from c4core.training.grids import Labelled
    from c4core.training.loop import Figures, Tell

TEST_SHARE: Final = 0.3
BATCH: Final = 1000
RATE: Final = 0.01
EPOCHS: Final = 100
_EPSILON: Final = 1e-7
"""Adam's epsilon in the library that Brewer used."""


class FinalGridCourse(NetworkCourse):
    """Trains the network of Brewer 2017.

    Args:
        games: the final grids with their labels.
        padding: the padding of the network's convolution.
        batch: the number of grids in a step.
        rate: Adam's learning rate.
        seed: the seed of the weights, the split and the order of grids.

    Raises:
        LearningError: there are too few games to split, or the board is too small.
    """

    kind: ClassVar[str] = "cnn"

    def __init__(
        self,
        games: Labelled,
        *,
        padding: Padding = "same",
        batch: int = BATCH,
        rate: float = RATE,
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
        super().__init__(games.board, {"padding": padding}, settings, epsilon=_EPSILON)
        order = torch.randperm(len(games), generator=self.generator(0))
        grids = torch.from_numpy(games.grids)
        won = torch.from_numpy(games.won)
        self._train = grids[order[tested:]], won[order[tested:]]
        self.test = grids[order[:tested]], won[order[:tested]]
        """The grids for the test, and whether player 1 has won."""

    def epoch(self, number: int, tell: Tell) -> Figures:
        """Train on every grid once. The loss and the accuracy are means over the epoch."""
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
