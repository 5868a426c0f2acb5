"""Train the order network, which orders moves in the search.

It learns in rounds from samples of the cost of moves (:mod:`benchmarks.order.samples`). In the
first round, positions are solved without a network. In every further round they are solved with the
last network, because a search with a network visits other nodes. Each network is trained from
scratch on all samples so far. Some of the solved positions are held out for a test; the network
never learns from their samples.

The same arguments give the same bytes on the same machine, with the same versions of the program
and of PyTorch.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from benchmarks.games import draw_roots
from benchmarks.order.samples import network_bytes, row_groups, rows_of_choices, sample_choices
from benchmarks.order.targets import Targets, targets_of
from c4core.arena.game import game_seed
from c4core.errors import LearningError
from c4core.position import Position

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from c4core.notation import BoardSize

UNITS: Final = 64
POINTS: Final = 50
"""The points of a move's value that correspond to 1 in its logit."""
ROW_SCALE: Final = 128
"""The factor of the weights of rows, which are whole numbers in the network's file."""
UNIT_SCALE: Final = 4096
"""The factor of the weights of units, which are whole numbers in the network's file."""
BATCH: Final = 1024
RATE: Final = 2e-3
"""Adam's largest learning rate; the rate rises quickly, then falls linearly."""
LAST_RATE: Final = 0.03
"""The last learning rate, as a share of :data:`RATE`."""
RISE: Final = 100
"""The number of steps in which the learning rate rises."""
DROPOUT: Final = 0.1
PART: Final = 20
"""The number of positions that a thread solves as one task."""
HELD_OUT: Final = 24
"""One in this many positions is held out."""
FIRST_HELD_OUT: Final = 5

_NEVER: Final = -1e9
_TEST_BATCH: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPlan:
    """The parameters for training an order network."""

    board: BoardSize
    roots: int
    """The number of positions that are solved in every round."""
    empty: int = 0
    """The number of additional searches of the empty board in every round."""
    rounds: int = 2
    epochs: int = 3
    """The number of passes through all samples in the training of a round."""
    last_ply: int
    """The largest number of stones at which the network is used."""
    density: float = 1.0
    """A factor for the number of samples."""
    seed: int = 0
    threads: int = 1
    """The number of threads that solve positions; it does not change the result."""


def learn_order(plan: OrderPlan, *, tell: Callable[[str], object] = lambda _round: None) -> bytes:
    """Train an order network, and return its file.

    Raises:
        LearningError: the plan is impossible, or gives too few samples.
    """
    try:
        roots = draw_roots(plan.board, seed=game_seed(plan.seed, 0), count=plan.rounds * plan.roots)
        row_groups(board=plan.board, last_ply=plan.last_ply)
    except ValueError as error:
        raise LearningError(str(error)) from None
    data: bytes | None = None
    gathered: list[NDArray[np.void]] = []
    for number in range(1, plan.rounds + 1):
        began = time.perf_counter()
        some = roots[(number - 1) * plan.roots : number * plan.roots]
        gathered.append(_sampled(plan, number, some, data))
        solved = time.perf_counter()
        course = OrderCourse(
            np.concatenate(gathered), plan, seed=game_seed(plan.seed, -number) >> 1
        )
        before = course.figures()
        course.train()
        data = course.data()
        after = course.figures()
        tell(
            f"round {number}: {course.learned:,} samples and {course.held_out:,} held-out ones, "
            f"solved in {solved - began:.0f} s, trained in {time.perf_counter() - solved:.0f} s; "
            f"cross entropy {before[0]:.4f} -> {after[0]:.4f}, "
            f"regret {before[1]:.4f} -> {after[1]:.4f}"
        )
    if data is None:
        raise LearningError("a network needs at least one round")
    return data


def _sampled(
    plan: OrderPlan, number: int, roots: list[Position], network: bytes | None
) -> NDArray[np.void]:
    """The samples of a round. Samples of the empty board have negative root numbers.

    Threads solve the positions in parts, each with its own seed, so the samples do not depend on
    the number of threads.
    """
    positions = [Position(board=plan.board)] * plan.empty + roots
    parts = range(0, len(positions), PART)

    def solve(first: int) -> NDArray[np.void]:
        samples: NDArray[np.void] = sample_choices(
            positions[first : first + PART],
            board=plan.board,
            seed=game_seed(game_seed(plan.seed, number), first),
            last_ply=plan.last_ply,
            network=network,
            density=plan.density,
            first=first - plan.empty,
        )
        return samples

    with ThreadPoolExecutor(plan.threads) as pool:
        return np.concatenate(list(pool.map(solve, parts)))


class OrderCourse:
    """The training of a network on samples of :func:`benchmarks.order.samples.sample_type`.

    Attributes:
        learned: the number of samples for the training.
        held_out: the number of samples for the test.

    Raises:
        LearningError: there are no samples to learn from, or none to be held out.
    """

    def __init__(self, samples: NDArray[np.void], plan: OrderPlan, *, seed: int) -> None:
        self._samples = samples
        self._plan = plan
        self._targets: Targets = targets_of(samples, cells=plan.board.cells)
        apart = (samples["root"] >= 0) & (samples["root"] % HELD_OUT == FIRST_HELD_OUT)
        self._train, self._test = np.flatnonzero(~apart), np.flatnonzero(apart)
        self.learned, self.held_out = len(self._train), len(self._test)
        for what, found in (("learn from", self.learned), ("hold out", self.held_out)):
            if found == 0:
                raise LearningError(
                    f"{plan.roots} positions of {plan.board} give no samples to {what}"
                )
        self._seed = seed
        with _repeatable(seed):
            self._network = OrderNetwork(plan.board, last_ply=plan.last_ply)
        self._is_new = True

    def train(self) -> None:
        """Train from the beginning to the end."""
        size = min(BATCH, self.learned)
        steps = self._plan.epochs * (self.learned // size)
        optimizer = torch.optim.Adam(self._network.parameters(), lr=RATE)
        self._network.train()
        self._is_new = False
        with _repeatable(self._seed + 1):
            for step, batch in enumerate(self._batches(size)):
                share = (1 - (1 - LAST_RATE) * step / steps) * min(1, step / RISE + 0.05)
                for group in optimizer.param_groups:
                    group["lr"] = RATE * share
                mirrored = torch.rand(size).numpy() < 0.5  # noqa: PLR2004
                losses = self._losses(self._logits(batch, mirrored), batch)
                loss = (losses * torch.from_numpy(self._targets.weight[batch])).mean()
                optimizer.zero_grad()
                torch.autograd.backward(loss)
                optimizer.step()
        self._network.eval()

    def figures(self) -> tuple[float, float]:
        """The order of moves in held-out samples; before training, without a network.

        Returns:
            The mean cross entropy of the targets and the softmax of the moves' values, and the
            mean base-2 logarithm of the search cost relative to the best order.
        """
        cross_entropy, regret = 0.0, 0.0
        self._network.eval()
        with torch.no_grad(), _repeatable(self._seed):
            for first in range(0, self.held_out, _TEST_BATCH):
                batch = self._test[first : first + _TEST_BATCH]
                logits = self._today(batch) if self._is_new else self._logits(batch, None)
                chosen = logits.argmax(1).numpy()
                cross_entropy += float(self._losses(logits, batch).sum())
                regret += float(self._targets.regret[batch, chosen].sum())
        return cross_entropy / self.held_out, regret / self.held_out

    def data(self) -> bytes:
        """The network's file."""
        rows, weights = self._network.whole_numbers()
        data: bytes = network_bytes(
            rows, weights, board=self._plan.board, last_ply=self._plan.last_ply
        )
        return data

    def _batches(self, size: int) -> Iterator[NDArray[np.int64]]:
        """The indices of ``size`` samples for every step; the rest of an epoch is left out."""
        for _ in range(self._plan.epochs):
            order = self._train[torch.randperm(self.learned).numpy()]
            for first in range(0, self.learned - size + 1, size):
                yield order[first : first + size]

    def _today(self, batch: NDArray[np.int64]) -> torch.Tensor:
        """(n, width): the logits of the search's move ordering without a network."""
        values = torch.from_numpy(self._samples["value"][batch].astype(np.float32) / POINTS)
        return values.masked_fill(torch.from_numpy(~self._targets.valid[batch]), _NEVER)

    def _logits(self, batch: NDArray[np.int64], mirrored: NDArray[np.bool_] | None) -> torch.Tensor:
        """(n, width): the logits with the network."""
        rows, starts = rows_of_choices(
            self._samples[batch],
            board=self._plan.board,
            last_ply=self._plan.last_ply,
            mirrored=mirrored,
        )
        added = self._network(torch.from_numpy(rows), torch.from_numpy(starts))
        today = self._today(batch)
        valid = torch.from_numpy(self._targets.valid[batch])
        return today + torch.zeros_like(today).masked_scatter(valid, added)

    def _losses(self, logits: torch.Tensor, batch: NDArray[np.int64]) -> torch.Tensor:
        """(n,): the cross entropy of each sample."""
        shares = torch.from_numpy(self._targets.shares[batch])
        return -(shares * functional.log_softmax(logits, 1)).sum(1)


class OrderNetwork(nn.Module):
    """The order network (engine/order_network.pxi), in floating point."""

    def __init__(self, board: BoardSize, *, last_ply: int) -> None:
        super().__init__()
        groups = row_groups(board=board, last_ply=last_ply)
        self.rows = nn.EmbeddingBag(2 * groups["all"], UNITS, mode="sum", include_last_offset=True)
        self.weights = nn.Parameter(torch.empty(UNITS))
        with torch.no_grad():
            # The weights of patterns begin at zero, because there are many and each is rare.
            by_side = self.rows.weight.zero_().view(2, groups["all"], UNITS)
            by_side[:, : groups["places"]].normal_(0, 0.05)
            by_side[:, groups["places"] : groups["threats"]].normal_(0, 0.2)
            by_side[:, groups["threats"] : groups["patterns"]].normal_(0, 0.1)
            self.weights.normal_(0, 0.1)

    def forward(self, rows: torch.Tensor, starts: torch.Tensor) -> torch.Tensor:
        """The number to add to the logit of each move, (moves,).

        Args:
            rows: the rows of all moves, one move after another.
            starts: (moves + 1,), the index where the rows of each move begin, and the end.
        """
        units = functional.relu(self.rows(rows, starts))
        added: torch.Tensor = functional.dropout(units, DROPOUT, self.training) @ self.weights
        return added

    def whole_numbers(self) -> tuple[NDArray[np.int8], NDArray[np.int16]]:
        """The weights in the form of :func:`benchmarks.order.samples.network_bytes`."""
        rows = self.rows.weight.detach().numpy().reshape(2, -1, UNITS)
        weights = self.weights.detach().numpy()
        return (
            np.clip(np.rint(rows * ROW_SCALE), -127, 127).astype(np.int8),
            np.clip(np.rint(weights * UNIT_SCALE), -32767, 32767).astype(np.int16),
        )


@contextmanager
def _repeatable(seed: int) -> Iterator[None]:
    """Give PyTorch one thread and a seed; restore its settings afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            yield
    finally:
        torch.set_num_threads(threads)
