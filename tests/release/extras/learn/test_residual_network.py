"""The engine of the residual network plays what PyTorch plays."""

from pathlib import Path

import pytest
import torch

from c4core.models.engines import engine_of, shipped_file
from c4core.models.evaluator import planes_of_positions
from c4core.models.files import read_model
from c4core.models.torch.networks import network_of
from c4core.models.torch.playing import choose_column, preferences
from c4core.notation import DEFAULT_BOARD, BoardSize
from tests.support.boards.learning import random_positions, residual_model

HERE = Path("model")
NEAR = 0.02
"""Whole numbers and PyTorch's differ by this much of a worth at most."""


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


@pytest.mark.parametrize(
    ("board", "channels", "blocks", "hidden"),
    [((7, 6), 8, 1, 8), ((5, 4), 16, 2, 8), ((4, 9), 24, 1, 32), ((9, 6), 16, 2, 8)],
)
def test_random_networks(board: tuple[int, int], channels: int, blocks: int, hidden: int) -> None:
    size = BoardSize(*board)
    model = residual_model(size, {"channels": channels, "blocks": blocks, "hidden": hidden})
    network, engine = network_of(model, HERE), engine_of(model, HERE)
    positions = random_positions(40, seed=3, board=size, least_ply=2)
    policy, values = preferences(network, "residual", planes_of_positions(positions, moved=False))
    assert values is not None
    same = 0
    for position, row in zip(positions, policy, strict=True):
        worths, value = engine.judge(position)
        for column, worth in enumerate(worths):
            if worth is None:
                assert not position.is_legal(column)
            else:
                assert worth == pytest.approx(row[column], rel=NEAR, abs=NEAR)
        assert -1 <= value <= 1
        theirs, ours = choose_column(network, "residual", position), engine.choose(position)
        same += theirs == ours
        # Weights are rounded: of two columns that are as good as equal it may be the other one.
        assert row[ours] == pytest.approx(row[theirs], rel=2 * NEAR, abs=2 * NEAR)
    assert same >= 0.9 * len(positions)  # one that was trained is surer


def test_the_shipped_network() -> None:
    path = shipped_file("residual")
    model = read_model(path)
    positions = random_positions(1000, seed=6, board=DEFAULT_BOARD, least_ply=2)
    planes = planes_of_positions(positions, moved=False)
    policy, _ = preferences(network_of(model, path), "residual", planes)
    engine = engine_of(model, path)
    other = [
        position
        for position, row in zip(positions, policy, strict=True)
        if engine.choose(position) != max(position.legal_columns(), key=row.__getitem__)
    ]
    assert len(other) <= 1, other
