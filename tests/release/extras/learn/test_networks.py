"""The networks: initial weights, the engine of the residual network, and measurement."""

from pathlib import Path

import numpy as np
import pytest
import torch

from c4core.models.planes import planes_of_positions
from c4core.models.players import engine_of
from c4core.models.torch.networks import (
    FinalGridNetwork,
    network_of,
    new_network,
    parameter_count,
)
from c4core.models.torch.playing import (
    residual_columns,
    residual_policies,
)
from c4core.notation import DEFAULT_BOARD, BoardSize
from tests.support.boards.games import random_positions
from tests.support.boards.learning import residual_model

pytestmark = pytest.mark.usefixtures("one_thread")

NEAR = 0.02
"""Largest difference between integer worths and PyTorch's."""


@pytest.mark.parametrize(
    ("padding", "layers", "total", "shapes"),
    [
        ("same", [714, 2653, 8], 3375, [(42, 6, 7), (42, 3, 3), (378,)]),
        ("valid", [714, 595, 8], 1317, [(42, 3, 4), (42, 1, 2), (84,)]),
    ],
)
def test_parameters_and_shapes_of_the_source(
    padding: str, layers: list[int], total: int, shapes: list[tuple[int, ...]]
) -> None:
    network = FinalGridNetwork(DEFAULT_BOARD, padding)
    assert parameter_count(network) == total
    with_weights = [layer for layer in network.layers if list(layer.parameters())]
    assert [parameter_count(layer) for layer in with_weights] == layers
    found, tensor = [], torch.zeros(1, 1, 6, 7)
    for layer in network.layers:
        tensor = layer(tensor)
        found.append(tuple(tensor.shape[1:]))
    assert [found[index] for index in (1, 3, 4)] == shapes
    assert found[-1] == (1,)
    outputs = network(torch.randint(-1, 2, (50, 1, 6, 7)).float()).detach()
    assert outputs.shape == (50,)
    assert 0 < float(outputs.min()) <= float(outputs.max()) < 1


def test_same_padding_has_one_line_before_and_two_after() -> None:
    network = FinalGridNetwork(DEFAULT_BOARD, "same")
    grid = torch.randn(1, 1, 6, 7, generator=torch.Generator().manual_seed(1))
    padded = np.pad(grid[0, 0].numpy(), ((1, 2), (1, 2)))
    weights, biases = (part.detach().numpy() for part in network.layers[1].parameters())
    convolved = network.layers[1](network.layers[0](grid)).detach().numpy()[0]
    for row, column in ((0, 0), (5, 6), (2, 3), (0, 6)):
        window = padded[row : row + 4, column : column + 4]
        expected = (weights[:, 0] * window).sum(axis=(1, 2)) + biases
        np.testing.assert_allclose(convolved[:, row, column], expected, rtol=1e-4, atol=1e-5)


def test_initial_weights_are_glorot_and_biases_zero() -> None:
    network = new_network("cnn", DEFAULT_BOARD, {"padding": "same"}, seed=1)
    weights, biases = (part.detach() for part in network.layers[1].parameters())
    limit = (6 / (16 + 16 * 42)) ** 0.5
    assert limit * 0.9 < float(weights.abs().max()) <= limit * 1.00001
    assert not biases.any()


def test_a_seed_gives_the_same_weights_without_the_shared_generator() -> None:
    before = torch.random.get_rng_state()
    one, other, third = (
        new_network("residual", DEFAULT_BOARD, {"channels": 8}, seed=seed).state_dict()
        for seed in (1, 1, 2)
    )
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert not all(torch.equal(one[name], third[name]) for name in one)


@pytest.mark.parametrize(
    ("board", "channels", "blocks", "hidden", "sides"),
    [((7, 6), 8, 1, 8, 2), ((5, 4), 16, 2, 8, 1), ((4, 9), 24, 1, 32, 1), ((9, 6), 16, 2, 8, 2)],
)
def test_the_engine_plays_like_pytorch(
    board: tuple[int, int], channels: int, blocks: int, hidden: int, sides: int
) -> None:
    size = BoardSize(*board)
    sizes = {"channels": channels, "blocks": blocks, "hidden": hidden, "sides": sides}
    model = residual_model(size, sizes)
    network, engine = network_of(model, Path("model")), engine_of(model, Path("model"))
    positions = random_positions(40, seed=3, board=size, least_ply=2)
    policies = residual_policies(network, planes_of_positions(positions, moved=False))
    chosen = residual_columns(network, positions)
    same = 0
    for position, row, theirs in zip(positions, policies, chosen, strict=True):
        for column, worth in enumerate(engine.evaluate(position)):
            if worth is None:
                assert not position.is_legal(column)
            else:
                assert worth == pytest.approx(row[column], rel=NEAR, abs=NEAR)
        ours = engine.choose(position)
        same += theirs == ours
        # Weights are rounded: of two columns with almost equal values, either may be chosen.
        assert row[ours] == pytest.approx(row[theirs], rel=2 * NEAR, abs=2 * NEAR)
    assert same >= 0.9 * len(positions)  # a trained network is more certain
