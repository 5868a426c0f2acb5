"""Train PyTorch networks on final grids of games, or on exact labels.

``FinalGridCourse`` is the training of Brewer 2017: a network learns to predict the winner from the
final grid of a game, with Adam. The loss is the mean squared error. 70 % of the grids are for
training, the others for the test after every epoch.

``ResidualCourse`` learns from exact labels, with Muon and Adam. The positions of a step are drawn
at random, and half of them are mirrored:

- Positions whose results the network keeps surely are learned less often than others. Quiet and
  decisive positions, and positions with numbers of stones where errors are frequent, are drawn more
  often.
- After every epoch, the network plays games against perfect play. An eighth of each step's
  positions comes from these games. Errors, and positions of the newest games, are drawn more often.
- After a part of the epochs, each player gets weights of its own, because the two need different
  squares to win an endgame.
"""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
import torch
from torch.nn import functional
from torch.nn.utils import convert_conv2d_weight_memory_format

from c4core.book import Book
from c4core.dataset.records import are_quiet
from c4core.errors import BookBoardError, C4Error, LearningError, ModelError
from c4core.models.labels import are_apart, canonical, of_scores
from c4core.models.loop import Course
from c4core.models.perfect_play import PerfectPlay
from c4core.models.quality import positions_of, quality_of
from c4core.models.torch.examples import Drawn, Examples
from c4core.models.torch.networks import (
    MOST_CHARACTERS,
    arrays_of,
    new_network,
    tensors_of,
    watch_activations,
)
from c4core.models.torch.optimizers import Optimizers
from c4core.models.torch.playing import SURE, final_outputs, residual_columns
from c4core.solver import Solver

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray
    from torch import nn

    from c4core.models.files import Model
    from c4core.models.labels import Labelled, Positions
    from c4core.models.loop import Arrays, Figures, Tell
    from c4core.models.torch.examples import Precision
    from c4core.models.torch.networks import Padding
    from c4core.notation import BoardSize
    from c4core.position import Position

TEST_SHARE: Final = 0.3
_BREWERS_EPSILON: Final = 1e-7
"""Adam's epsilon in the library that Brewer used."""

SIDES_FROM: Final = 0.4
"""The share of the epochs after which each player has weights of its own."""
COPIES: Final = ((11, 2), (19, 5), (25, 4), (128, 3))
"""The most stones, and the copies of such a position that are drawn from: more where errors are
frequent on 7x6."""
HARD: Final = 4
"""Quiet and decisive positions are drawn this many times as often as others."""
FROM_GAMES: Final = 8
"""One in this many positions of a step comes from the network's own games."""
AS_SECOND: Final = 0.5
EXPLORING: Final = 1.5
"""The games of the second player, and the games with random moves of the first player, relative to
the games of the first player."""
EXPLORE: Final = 0.1
"""The share of the network's moves in exploring games that are any column that keeps the result."""
ERROR_COPIES: Final = 16
RECENT_COPIES: Final = 4
"""Errors, and positions of the newest games as first player, are drawn this many times as often."""
LOSS_WEIGHTS: Final = (0.5, 1.0, 1.0, 2.0)
"""The weights of the losses: best columns, kept results, value, scores."""
WARM_UP: Final = 0.04
FALLING: Final = 0.88
"""The share of the steps in which the learning rate falls like a cosine."""
LOWEST: Final = 0.02
"""The learning rate falls to this share, and in the last steps to 0."""
LAST: Final = 0.92
"""The share of the steps after which the learning rate falls to 0."""
TABLE_MB: Final = 256
"""The size of the table of the solver for perfect play."""


class NetworkCourse(Course):
    """A network in training, with its data and parameters."""

    optimizers: Optimizers

    def __init__(
        self,
        board: BoardSize,
        architecture: dict[str, Any],
        settings: dict[str, Any],
        *,
        device: str = "cpu",
    ) -> None:
        super().__init__(board, architecture, settings)
        try:
            torch.zeros(1, device=device).cpu()
        except (AssertionError, RuntimeError) as error:
            reason = textwrap.shorten(str(error), MOST_CHARACTERS, placeholder=" ...")
            raise LearningError(f"PyTorch cannot use the device {device!r:.80}: {reason}") from None
        self.device = device
        self.network = self._new_network(architecture)

    def _new_network(self, architecture: dict[str, Any]) -> nn.Module:
        seed = self.settings["seed"] % (1 << 63)
        return new_network(self.kind, self.board, architecture, seed=seed).to(self.device)

    def generator(self, number: int) -> torch.Generator:
        """A random generator for the choices of an epoch."""
        return torch.Generator().manual_seed(self.seed_of(number))

    def weights(self) -> Arrays:
        return arrays_of(self.network.state_dict())

    def optimizer_state(self) -> Arrays:
        """The optimizers' tensors, by the names of their weights."""
        return self.optimizers.state()

    def restore(self, model: Model, path: Path) -> None:
        """Load a model's weights and what else the training needs."""
        try:
            self._load(model)
        except (C4Error, KeyError, RuntimeError, ValueError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else error
            raise ModelError(f"{path} cannot be resumed: {reason}") from None

    def _load(self, model: Model) -> None:
        self.network.load_state_dict(tensors_of(model.weights))
        if model.history:
            self.optimizers.restore(model.optimizer)


class FinalGridCourse(NetworkCourse):
    """The training of the network of Brewer 2017.

    Args:
        padding: the padding of the network's convolution.
        batch: the number of grids in a step.
        rate: Adam's learning rate.
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
        super().__init__(games.board, {"padding": padding}, settings)
        self.optimizers = Optimizers(self.network, epsilon=_BREWERS_EPSILON)
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
            self.optimizers.learn(loss, self.settings["rate"])
            loss_sum += loss.item() * len(batch)
            right += int(((outputs > SURE) == won[batch]).sum())
        tested = final_outputs(self.network, self.test[0])
        return {
            "loss": loss_sum / len(won),
            "accuracy": right / len(won),
            "test_loss": functional.mse_loss(tested, self.test[1].float()).item(),
            "test_accuracy": ((tested > SURE) == self.test[1]).float().mean().item(),
        }


class ResidualCourse(NetworkCourse):
    """The training of a network with policy, value and scores.

    :class:`c4core.models.torch.networks.ResidualNetwork` describes the sizes.

    Args:
        held_out: the positions for the test after every epoch.
        others: sets of positions to keep apart from; see :func:`c4core.models.labels.are_apart`.
        epochs: the number of all epochs; the learning rate falls to 0 in the last one.
        steps: the number of steps of an epoch.
        batch: the number of positions in a step.
        rate: Muon's highest learning rate.
        games: the number of games against perfect play as first player after an epoch; other games
            are in proportion. Perfect play is slow on large boards without a book: 0 plays none.
        precision: the number format in training. ``bfloat16`` takes half the time on processors
            with instructions for it.
        device: the device of PyTorch that trains, such as ``cuda``. Another device, like another
            number of threads, gives slightly different weights.
    """

    kind: ClassVar[str] = "residual"

    def __init__(
        self,
        positions: Positions,
        held_out: Positions,
        *,
        others: Sequence[Positions] = (),
        channels: int = 32,
        blocks: int = 5,
        hidden: int = 64,
        epochs: int = 8,
        steps: int = 1000,
        batch: int = 2048,
        rate: float = 0.035,
        games: int = 200,
        precision: Precision = "float32",
        device: str = "cpu",
        seed: int = 0,
    ) -> None:
        if positions.board != held_out.board:
            raise LearningError(f"trained on {positions.board}, tested on {held_out.board}")
        settings = {
            "seed": seed,
            "epochs": epochs,
            "steps": steps,
            "batch": batch,
            "rate": rate,
            "games": games,
            "precision": precision,
            "positions": len(positions),
            "data": positions.fingerprint,
        }
        self._sizes = {"channels": channels, "blocks": blocks, "hidden": hidden}
        super().__init__(positions.board, {**self._sizes, "sides": 2}, settings, device=device)
        self._examples = Examples(positions, device=device, precision=precision)
        self._drawn = Drawn(_copies_of(positions))
        self._held_out, self._others = held_out, others
        self._from_games: tuple[Examples, Drawn] | None = None
        self._seen, self._wrong, self._recent = set[int](), set[int](), set[int]()
        self._perfect: PerfectPlay | None = None
        if games:
            try:
                book = Book.shipped(self.board)
            except BookBoardError:
                book = None
            solver = Solver(table_mb=TABLE_MB, threads=torch.get_num_threads(), book=book)
            self._perfect = PerfectPlay(self.board, solver)
        self._share_weights()

    @property
    def _shared_epochs(self) -> int:
        """The number of epochs in which both players use the same weights."""
        return round(SIDES_FROM * int(self.settings["epochs"]))

    def _share_weights(self) -> None:
        """Let both players use the same weights, which are the network until :meth:`_split`."""
        self._is_split = False
        self._begin_with(self._new_network(self._sizes))

    def _split(self) -> None:
        """Give each player weights of its own, which begin as copies."""
        weights = self.weights()
        self._is_split = True
        network = self._new_network(self.architecture)
        network.load_state_dict(tensors_of(weights))
        self._begin_with(network)

    def _begin_with(self, network: nn.Module) -> None:
        convert_conv2d_weight_memory_format(network, torch.channels_last)
        self.network = network
        self.optimizers = Optimizers(network, with_muon=True)
        self._penalties = watch_activations(network)

    def weights(self) -> Arrays:
        """The weights of each player."""
        found = arrays_of(self.network.state_dict())
        if self._is_split:
            return found
        return {f"sides.{side}.{name}": array for side in (0, 1) for name, array in found.items()}

    def optimizer_state(self) -> Arrays:
        """The optimizers' tensors, how surely positions are known, and positions of games."""
        seen = np.array(sorted(self._seen), dtype=np.uint64)
        found = {**self.optimizers.state(), "drawn.chances": self._drawn.chances.numpy().copy()}
        if self._perfect is not None and len(seen):
            found |= {
                "games.keys": seen,
                "games.scores": self._perfect.scores_of(seen),
                "games.wrong": np.isin(seen, _key_array(self._wrong)),
                "games.recent": np.isin(seen, _key_array(self._recent)),
            }
        return found

    def _load(self, model: Model) -> None:
        if len(model.history) > self._shared_epochs:
            self._split()
        prefix = "" if self._is_split else "sides.0."
        weights = {
            name.removeprefix(prefix): array
            for name, array in model.weights.items()
            if name.startswith(prefix)
        }
        self.network.load_state_dict(tensors_of(weights))
        if not model.history:
            return
        rest = dict(model.optimizer)
        self._drawn.restore(rest.pop("drawn.chances"))
        if self._perfect is not None:
            games = [rest.pop(f"games.{name}") for name in ("keys", "scores", "wrong", "recent")]
            self._restore_games(self._perfect, *games)
        self.optimizers.restore(rest)

    def _restore_games(
        self,
        perfect: PerfectPlay,
        keys: NDArray[Any],
        scores: NDArray[Any],
        wrong: NDArray[Any],
        recent: NDArray[Any],
    ) -> None:
        """Take over the positions of games, as :meth:`optimizer_state` describes them."""
        n = keys.size
        for array, dtype, shape in (
            (keys, np.uint64, (n,)),
            (scores, np.int8, (n, self.board.width)),
            (wrong, np.bool_, (n,)),
            (recent, np.bool_, (n,)),
        ):
            if array.dtype != dtype or array.shape != shape:
                raise ValueError("its games do not fit")
        perfect.scores.update(zip(keys.tolist(), scores, strict=True))
        self._seen = set(keys.tolist())
        self._wrong, self._recent = set(keys[wrong].tolist()), set(keys[recent].tolist())
        self._learn_from_games(perfect)

    def epoch(self, number: int, tell: Tell) -> Figures:
        """Make the steps of an epoch, test on the held-out positions, and play games."""
        if number > self._shared_epochs and not self._is_split:
            self._split()
        steps, generator = self.settings["steps"], self.generator(number)
        sums = torch.zeros(len(LOSS_WEIGHTS), device=self.device)
        self.network.train()
        for step in range(steps):
            tell(step, steps)
            self._penalties.clear()
            losses = self._losses(generator)
            weighted = losses @ torch.tensor(LOSS_WEIGHTS, device=self.device)
            rate = self.settings["rate"] * self._share_of_rate((number - 1) * steps + step)
            self.optimizers.learn(weighted + sum(self._penalties), rate)
            sums += losses.detach()
        self.network.eval()
        names = ("policy_loss", "kept_loss", "value_loss", "score_loss")
        losses_of_epoch = dict(zip(names, (sums / steps).tolist(), strict=True))
        return losses_of_epoch | self._tested() | self._play(number)

    def _losses(self, generator: torch.Generator) -> torch.Tensor:
        """The mean losses of a step's positions."""
        batch: int = self.settings["batch"]
        if self._from_games is None:
            return self._drawn.losses(self._examples, self.network, batch, generator)
        examples, drawn = self._from_games
        count = max(batch // FROM_GAMES, 1)
        found = self._drawn.losses(self._examples, self.network, batch - count, generator)
        own = drawn.losses(examples, self.network, count, generator)
        return found + (own - found) * (count / batch)

    def _share_of_rate(self, step: int) -> float:
        """The learning rate of a step, counted from 0 over all epochs, relative to the highest."""
        done: float = step / (self.settings["epochs"] * self.settings["steps"])
        share = max(LOWEST, (1 + math.cos(math.pi * min(1.0, done / FALLING))) / 2)
        if done > LAST:
            share = LOWEST * max(0.0, 1 - done) / (1 - LAST)
        return share * min(1.0, (done + 1e-3) / WARM_UP)

    def _choose(self, positions: Sequence[Position]) -> list[int]:
        return residual_columns(self.network, positions)

    def _tested(self) -> dict[str, float]:
        """The quality of the columns in the held-out positions."""
        columns = np.array(self._choose(positions_of(self._held_out)))
        return quality_of(self._held_out, columns).figures

    def _play(self, number: int) -> dict[str, float]:
        """Play games; return the share in which the network, as first player, keeps the result."""
        if self._perfect is None:
            return {}
        games, play = self.settings["games"], self._perfect.play
        random = np.random.default_rng(self.seed_of(number))
        first = play(self._choose, games=games, moves_first=True, random=random)
        second = play(
            self._choose, games=math.ceil(AS_SECOND * games), moves_first=False, random=random
        )
        explored = play(
            self._choose,
            games=math.ceil(EXPLORING * games),
            moves_first=True,
            random=random,
            explore=EXPLORE,
        )
        self._seen |= first.seen | second.seen | explored.seen
        self._wrong |= first.wrong | explored.wrong
        self._recent = set(first.seen)
        self._learn_from_games(self._perfect)
        best = int(np.sign(self._perfect.scores_of(_key_array({self._perfect.start.key})).max()))
        return {"games_kept": first.results.count(best) / games}

    def _learn_from_games(self, perfect: PerfectPlay) -> None:
        """Draw from the positions of all games that may be learned."""
        keys = _key_array(self._seen)
        found = of_scores(keys, perfect.scores_of(keys), self.board)
        found = found.take(np.flatnonzero(are_apart(found, self._held_out, self._others)))
        if not len(found):
            return
        copies = np.ones(len(found), dtype=np.intp)
        for chosen, times in ((self._wrong, ERROR_COPIES), (self._recent, RECENT_COPIES)):
            copies += (times - 1) * np.isin(canonical(found), _key_array(chosen))
        examples = Examples(found, device=self.device, precision=self.settings["precision"])
        self._from_games = examples, Drawn(copies)


def _key_array(keys: set[int]) -> NDArray[np.uint64]:
    return np.array(sorted(keys), dtype=np.uint64)


def _copies_of(positions: Positions) -> NDArray[np.intp]:
    """(n,): the number of copies of each position that are drawn from."""
    most, times = np.array(COPIES).T
    are_hard = positions.is_decisive & are_quiet(positions.keys, positions.board)
    copies: NDArray[np.intp] = times[np.searchsorted(most, positions.ply)]
    return copies * np.where(are_hard, HARD, 1)
