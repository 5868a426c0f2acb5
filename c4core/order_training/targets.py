"""What the network that orders moves learns: how much worse than the cheapest each move is.

A move's loss is a logarithm to base 2: how many times as many nodes as the cheapest cut the search
takes if it tries this move first. A move that fails costs its own nodes, and then the cheapest cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from c4core.order_training.samples import CUT, FAILED

if TYPE_CHECKING:
    from numpy.typing import NDArray

FAILURE: Final = 0.3
"""Added to the loss of a move that fails: for the same nodes, one that cuts is preferred."""
GIVEN_UP_LOSS: Final = 2.3
"""The least loss of a move that was given up after four times the nodes of the cheapest."""
MOST_LOSS: Final = 8.0
SHARPNESS: Final = 1.2
"""Of the targets: each unit of loss divides a move's share by e to this power."""
MOST_REGRET: Final = 6.0
MOST_NODES: Final = 3e5
WEIGHT_POWER: Final = 0.3
"""A sample weighs its cheapest cut, up to :data:`MOST_NODES`, to this power .."""
LAST_PLIES: Final = (10, 14, 18, 22, 26)
""".. over the mean of samples with about as many stones: up to so many on 7x6."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What is learned from some samples; arrays of (n, width) or (n,)."""

    valid: NDArray[np.bool_]
    """Whether there is such a move; they come first."""
    shares: NDArray[np.float32]
    """What the network's softmax shall be."""
    regret: NDArray[np.float32]
    """The loss of each move without additions, at most :data:`MOST_REGRET`; for reports."""
    weight: NDArray[np.float32]
    """Of the samples."""


def targets_of(samples: NDArray[np.void], *, cells: int) -> Targets:
    """The targets of some samples.

    Args:
        samples: an array of :func:`c4core.order_training.samples.sample_type`.
        cells: squares of the board.
    """
    valid = np.arange(samples["nodes"].shape[1]) < samples["count"][:, None]
    nodes = np.maximum(samples["nodes"].astype(np.float64), 1)
    cuts = samples["result"] == CUT
    cheapest = np.where(valid & cuts, nodes, np.inf).min(axis=1, initial=np.inf)
    with_cut = np.log2(nodes / cheapest[:, None])
    after_failure = np.log2(nodes / cheapest[:, None] + 1)
    loss = np.where(
        cuts,
        with_cut,
        np.where(
            samples["result"] == FAILED,
            after_failure + FAILURE,
            np.maximum(after_failure, GIVEN_UP_LOSS),
        ),
    )
    shares = np.where(valid, np.exp(-SHARPNESS * np.minimum(loss, MOST_LOSS)), 0)
    regret = np.where(valid, np.minimum(np.where(cuts, with_cut, after_failure), MOST_REGRET), 0)
    return Targets(
        valid=valid,
        shares=(shares / shares.sum(axis=1, keepdims=True)).astype(np.float32),
        regret=regret.astype(np.float32),
        weight=_weights(samples["ply"], cheapest, cells=cells),
    )


def _weights(
    ply: NDArray[np.uint8], cheapest: NDArray[np.float64], *, cells: int
) -> NDArray[np.float32]:
    """The weights of samples: 1 on average among those with about as many stones."""
    weight = np.minimum(cheapest, MOST_NODES) ** WEIGHT_POWER
    group = np.searchsorted(np.array(LAST_PLIES) * cells, ply.astype(np.int64) * 42)
    for number in np.unique(group):
        weight[group == number] /= weight[group == number].mean()
    return weight.astype(np.float32)
