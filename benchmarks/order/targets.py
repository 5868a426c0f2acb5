"""The targets of the order network: the loss of each move, compared with the cheapest move.

A move *cuts* if it causes a cutoff, otherwise it *fails*. A move's loss is the base-2 logarithm of
a ratio: the nodes of a search that tries this move first, divided by the nodes of the cheapest move
that cuts. If the first move fails, the search visits the nodes of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from benchmarks.order.samples import CUT, FAILED

if TYPE_CHECKING:
    from numpy.typing import NDArray

FAILURE: Final = 0.3
"""The extra loss of a move that fails, so that a move that cuts is preferred at equal cost."""
GIVEN_UP_LOSS: Final = 2.3
"""The least loss of a move that was given up after four times the nodes of the cheapest move."""
MOST_LOSS: Final = 8.0
SHARPNESS: Final = 1.2
"""Each unit of loss divides a move's share by e to this power."""
MOST_REGRET: Final = 6.0
MOST_NODES: Final = 3e5
WEIGHT_POWER: Final = 0.3
"""The exponent of a sample's weight; the base is the nodes of the cheapest cut, at most
:data:`MOST_NODES`."""
LAST_PLIES: Final = (10, 14, 18, 22, 26)
"""The largest number of stones of each group of samples, on 7x6. A group's mean weight is 1."""


@dataclass(frozen=True, slots=True)
class Targets:
    """The targets of n samples."""

    valid: NDArray[np.bool_]
    """(n, width): whether the entry is a move; moves come first."""
    shares: NDArray[np.float32]
    """(n, width): the target of the network's softmax."""
    regret: NDArray[np.float32]
    """(n, width): the loss of each move without extra loss, at most :data:`MOST_REGRET`; for
    reports."""
    weight: NDArray[np.float32]
    """(n,): the weights of the samples."""


def targets_of(samples: NDArray[np.void], *, cells: int) -> Targets:
    """The targets of samples on a board with this many cells."""
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
    """The weights of samples; the mean of each group by number of stones is 1."""
    weight = np.minimum(cheapest, MOST_NODES) ** WEIGHT_POWER
    group = np.searchsorted(np.array(LAST_PLIES) * cells, ply.astype(np.int64) * 42)
    for number in np.unique(group):
        weight[group == number] /= weight[group == number].mean()
    return weight.astype(np.float32)
