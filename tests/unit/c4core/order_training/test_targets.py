"""The training targets of the move-ordering network for a sample."""

import numpy as np
import pytest

from c4core.order_training.samples import sample_type
from c4core.order_training.targets import targets_of


def test_targets_of_a_sample() -> None:
    sample = np.zeros(1, dtype=sample_type(6))
    sample["count"], sample["ply"] = 4, 8
    sample["result"][0, :4] = [1, 1, 0, 2]
    sample["nodes"][0, :4] = [10, 40, 10, 60]
    targets = targets_of(sample, cells=30)
    assert targets.valid.tolist() == [[True] * 4 + [False] * 2]
    losses = np.array([0, 2, 1.3, np.log2(7)])
    expected = np.exp(-1.2 * losses)
    assert np.allclose(targets.shares[0, :4], expected / expected.sum())
    assert np.allclose(targets.regret[0], [0, 2, 1, np.log2(7), 0, 0])
    assert targets.shares[0, 4:].tolist() == [0, 0]
    assert targets.weight.tolist() == [1]


def test_the_mean_weight_is_1() -> None:
    samples = np.zeros(400, dtype=sample_type(6))
    samples["count"], samples["result"][:, 0] = 2, 1
    samples["nodes"][:, 0] = np.arange(400) * 100 + 1
    samples["ply"] = np.arange(400) % 20
    weight = targets_of(samples, cells=30).weight
    assert weight.mean() == pytest.approx(1, abs=1e-5)
    assert weight[samples["ply"] <= 7].mean() == pytest.approx(1, abs=1e-5)
