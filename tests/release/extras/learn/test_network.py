"""The networks: shapes, parameters, what they begin with."""

import numpy as np
import pytest
import torch

from c4core.models.kinds import LearningError
from c4core.models.torch.networks import (
    ColumnNetwork,
    ExactNetwork,
    FinalGridNetwork,
    new_network,
    parameter_count,
)
from c4core.notation import DEFAULT_BOARD, BoardSize


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


def test_weights_begin_by_glorot_and_biases_at_zero() -> None:
    network = new_network("cnn", DEFAULT_BOARD, {"padding": "same"}, seed=1)
    weights, biases = (part.detach() for part in network.layers[1].parameters())
    limit = (6 / (16 + 16 * 42)) ** 0.5
    assert limit * 0.9 < float(weights.abs().max()) <= limit * 1.00001
    assert not biases.any()


def test_a_seed_gives_the_same_weights_and_leaves_the_shared_generator_alone() -> None:
    before = torch.random.get_rng_state()
    one, other, third = (
        new_network("exact", DEFAULT_BOARD, {"channels": 4}, seed=seed).state_dict()
        for seed in (1, 1, 2)
    )
    assert torch.equal(torch.random.get_rng_state(), before)
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert not all(torch.equal(one[name], third[name]) for name in one)


def test_outputs_are_shares() -> None:
    network = FinalGridNetwork(DEFAULT_BOARD)
    outputs = network(torch.randint(-1, 2, (50, 1, 6, 7)).float()).detach()
    assert outputs.shape == (50,)
    assert 0 < float(outputs.min()) <= float(outputs.max()) < 1


@pytest.mark.parametrize("board", [BoardSize(7, 6), BoardSize(4, 4), BoardSize(9, 6)])
def test_other_boards(board: BoardSize) -> None:
    planes = torch.zeros(3, 2, board.height, board.width)
    policy, value = ExactNetwork(board, channels=4, layers=2, hidden=8)(planes)
    assert (policy.shape, value.shape) == ((3, board.width), (3, 3))
    worth = ColumnNetwork(board, channels=4, hidden=8)(planes)
    assert worth.shape == (3, board.width)
    assert float(worth.detach().abs().max()) <= 1


def test_what_makes_no_network_is_refused() -> None:
    with pytest.raises(LearningError, match="padding valid leaves nothing of a 4x4 board"):
        FinalGridNetwork(BoardSize(4, 4), "valid")
    with pytest.raises(LearningError, match="padding is same or valid, not 'full'"):
        FinalGridNetwork(DEFAULT_BOARD, "full")
