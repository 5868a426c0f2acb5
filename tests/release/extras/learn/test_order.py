"""Training of the move-ordering network."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.games import draw_roots
from benchmarks.order.course import OrderCourse, OrderPlan, learn_order
from benchmarks.order.samples import Network, points_of_choices, sample_choices
from c4core.errors import LearningError
from c4core.notation import BoardSize
from tests.support.running.benchmarks import run

BOARD = BoardSize(6, 5)
LAST_PLY = 14
PLAN = OrderPlan(
    board=BOARD, roots=30, empty=1, rounds=2, epochs=2, last_ply=LAST_PLY, density=4.0, seed=1
)


def test_two_runs_give_the_same_bytes() -> None:
    data = learn_order(PLAN)
    assert data == learn_order(PLAN) != learn_order(replace(PLAN, seed=2))
    network = Network(data)
    assert (network.width, network.height, network.last_ply) == (6, 5, LAST_PLY)


def test_learning_helps_and_the_file_keeps_the_result() -> None:
    roots = draw_roots(BOARD, seed=1, count=120)
    samples = sample_choices(roots, board="6x5", seed=1, last_ply=LAST_PLY, density=20)
    everything = samples.copy()
    everything["root"] = np.arange(len(samples)) % 24
    plan = replace(PLAN, epochs=60)
    course = OrderCourse(everything, plan, seed=1)
    assert course.learned + course.held_out == len(samples)
    before = course.figures()
    course.train()
    after = course.figures()
    assert after[0] < before[0]
    batch = np.arange(200)
    points = points_of_choices(samples[:200], course.data())
    valid = np.arange(6) < samples["count"][:200, None]
    with torch.no_grad():
        added = (course._logits(batch, None) - course._today(batch)).numpy()[valid]
    # The engine adds 33 points for 1 of a logit; rounding the weights costs some.
    assert np.abs(points - 33 * added).max() < 8
    assert np.corrcoef(points, added)[0, 1] > 0.99


def test_the_global_state_of_pytorch_is_unchanged() -> None:
    torch.manual_seed(7)
    expected = torch.rand(3)
    torch.manual_seed(7)
    learn_order(replace(PLAN, rounds=1, epochs=1))
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"roots": 3}, "3 positions of 6x5 give no samples to hold out"),
        ({"density": 0.0}, "no samples to learn from"),
        ({"rounds": 0}, "at least one round"),
    ],
)
def test_bad_arguments_are_refused(changed: dict[str, object], message: str) -> None:
    with pytest.raises(LearningError, match=message):
        learn_order(replace(PLAN, **changed))


def test_the_command(tmp_path: Path) -> None:
    options = "order train --board 5x4 --roots 30 --last-ply 9 --density 20"
    path = tmp_path / "network"
    out = run(tmp_path, *options.split(), "--output", str(path))
    assert [line.partition(":")[0] for line in out.splitlines()] == ["round 1", "round 2"]
    network = Network(path.read_bytes())
    assert (network.width, network.height, network.last_ply) == (5, 4, 9)
