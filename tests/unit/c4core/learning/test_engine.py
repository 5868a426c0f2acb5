"""The residual network without PyTorch: the same worths and moves as the trained network."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from c4core.dice import Dice
from c4core.inference.residual import LARGEST, STAR, ResidualEngine, kernels, weight_shapes
from c4core.learning.engines import engine_of
from c4core.learning.errors import ModelError
from c4core.learning.modelfile import Model, read_model, write_model
from c4core.notation import BoardSize
from c4core.players import parse_player
from c4core.position import Position
from tests.support.boards.learning import REASON, random_positions

BOARDS = [BoardSize(7, 6), BoardSize(5, 4), BoardSize(4, 9), BoardSize(9, 6)]
SIZES = [
    {"channels": 8, "blocks": 1, "hidden": 8},
    {"channels": 16, "blocks": 2, "hidden": 8},
    {"channels": 24, "blocks": 1, "hidden": 32},
]


def random_model(board: BoardSize, sizes: dict[str, int], *, seed: int = 1) -> Model:
    """A model with random weights in PyTorch's shapes, made without PyTorch."""
    chance = np.random.default_rng(seed)
    weights = {}
    for name, shape in weight_shapes(board.height, **sizes).items():
        array = chance.normal(0, shape[0] ** -0.5, shape).astype(np.float32)
        if name.endswith("bias"):
            weights[name] = array
        elif name.startswith("first"):
            weights[name] = array.T.reshape(shape[1], len(STAR), -1).transpose(0, 2, 1).copy()
        elif name.startswith("blocks"):
            weights[name] = array.T.reshape(shape[1], 3, 3, -1).transpose(0, 3, 2, 1).copy()
        else:
            weights[name] = np.ascontiguousarray(array.T)
    # The head for the scores: no engine needs it.
    weights["score.weight"] = np.zeros((1, sizes["hidden"]), dtype=np.float32)
    weights["score.bias"] = np.zeros(1, dtype=np.float32)
    return Model("residual", board, dict(sizes), {}, [], weights)


HERE = Path("model")

NEAR = 0.02
"""Whole numbers and PyTorch's differ by this much of a worth at most."""
ENGINE = engine_of(random_model(BOARDS[0], SIZES[1]), HERE)


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_the_moves_are_those_of_the_trained_network(
    board: BoardSize, sizes: dict[str, int]
) -> None:
    torch = pytest.importorskip("torch", reason=REASON)
    from c4core.learning.encoding import planes_of_positions  # noqa: PLC0415
    from c4core.learning.networks import network_of  # noqa: PLC0415
    from c4core.learning.playing import choose_column, preferences  # noqa: PLC0415

    model = random_model(board, sizes)
    network, engine = network_of(model, HERE), engine_of(model, HERE)
    torch.set_num_threads(1)
    positions = random_positions(40, seed=3, board=board, least_ply=2)
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
    assert same >= 0.9 * len(positions)  # one that was trained is surer: test_shipped.py


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_kernel_gets_the_same_bits(board: BoardSize, sizes: dict[str, int]) -> None:
    model = random_model(board, sizes)
    first, *others = (engine_of(model, HERE, kernel=name) for name in kernels())
    for position in random_positions(40, seed=4, board=board):
        for engine in others:
            assert engine.judge(position) == first.judge(position)


def test_a_kernel_that_does_not_run_here() -> None:
    with pytest.raises(ModelError, match="no kernel 'fast' runs here: there are portable"):
        engine_of(random_model(BOARDS[0], SIZES[0]), HERE, kernel="fast")


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40)
def test_mirror_images_are_judged_alike(seed: int) -> None:
    (position,) = random_positions(1, seed=seed, board=BOARDS[0])
    worths, value = ENGINE.judge(position)
    mirrored, same = ENGINE.judge(position.mirrored())
    assert (mirrored, same) == (worths[::-1], value)


def test_without_the_mirror_it_is_one_pass() -> None:
    board = BOARDS[1]
    sizes = {"width": 5, "height": 4, **SIZES[0]}
    chance = np.random.default_rng(1)
    weights = {
        name: chance.normal(0, 0.5, shape).astype(np.float32)
        for name, shape in weight_shapes(4, **SIZES[0]).items()
    }
    once = ResidualEngine(**sizes, weights=weights, averages=False)
    twice = ResidualEngine(**sizes, weights=weights)
    (position,) = random_positions(1, seed=5, board=board)
    plain, turned = once.judge(position), once.judge(position.mirrored())
    wanted = [
        None if one is None or other is None else (one + other) / 2
        for one, other in zip(plain[0], turned[0][::-1], strict=True)
    ]
    assert twice.judge(position) == (wanted, (plain[1] + turned[1]) / 2)


def test_full_columns_are_not_played() -> None:
    position = Position("111111222222333333")
    worths, _ = ENGINE.judge(position)
    assert [worth is None for worth in worths] == [True] * 3 + [False] * 4
    assert ENGINE.choose(position) in {3, 4, 5, 6}


def test_what_it_cannot_judge() -> None:
    with pytest.raises(ValueError, match="a model of 7x6 cannot judge a position of 5x4"):
        ENGINE.judge(Position(width=5, height=4))
    with pytest.raises(ValueError, match="the game is over"):
        ENGINE.choose(Position("1212121"))


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (np.nan, "first.weight has numbers that are not finite"),
        (-np.inf, "first.weight has numbers that are not finite"),
        (3e38, "weights up to 3e+38 are too large"),
        (-5e3, "weights up to 5e+03 are too large"),
    ],
)
def test_weights_that_cannot_be_rounded(number: float, message: str) -> None:
    model = random_model(BOARDS[1], SIZES[0])
    strange = {name: np.full_like(array, number) for name, array in model.weights.items()}
    object.__setattr__(model, "weights", strange)
    with pytest.raises(ModelError, match="the engine cannot be made") as caught:
        engine_of(model, HERE)
    assert message in str(caught.value)


@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.01, 1, 10, 100]))
@settings(max_examples=40, deadline=None)
def test_no_sum_overflows(seed: int, scale: float) -> None:
    """With the largest activations and weights of one sign the worth has this sign, too."""
    model = random_model(BOARDS[1], SIZES[2], seed=seed)
    huge = {name: np.abs(array) * np.float32(scale) for name, array in model.weights.items()}
    object.__setattr__(model, "weights", huge)
    engines = [engine_of(model, HERE, kernel=name) for name in kernels()]
    for position in random_positions(3, seed=seed, board=BOARDS[1]):
        worths, _ = engines[0].judge(position)
        assert all(worth is None or worth > 0 for worth in worths)
        assert all(engine.judge(position)[0] == worths for engine in engines)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"channels": 12}, "channels cannot be 12: it is 8 to 128, a multiple of 8"),
        ({"channels": LARGEST["channels"] + 8}, "channels cannot be 136"),
        ({"channels": True}, "channels cannot be True"),
        ({"channels": 2**70}, "too large"),
        ({"hidden": 0}, "hidden cannot be 0"),
        ({"blocks": -1}, "blocks cannot be -1: it is 1 to 16"),
        ({"blocks": 2}, "'blocks.1.inner.weight' is missing"),
        ({"blocks": None}, "blocks cannot be None"),
        ({"hidden": 16}, "column.weight is float32"),
    ],
)
def test_models_that_fit_nothing(changes: dict[str, Any], message: str) -> None:
    model = random_model(BOARDS[1], {"channels": 8, "blocks": 1, "hidden": 8})
    model.architecture.update(changes)
    with pytest.raises(ModelError, match="the engine cannot be made") as caught:
        engine_of(model, HERE)
    assert message in str(caught.value)


def test_weights_of_another_type_or_kind() -> None:
    model = random_model(BOARDS[1], SIZES[0])
    halves = {name: array.astype(np.float16) for name, array in model.weights.items()}
    object.__setattr__(model, "weights", halves)
    with pytest.raises(ModelError, match="is float16"):
        engine_of(model, HERE)
    object.__setattr__(model, "kind", "exact")
    with pytest.raises(ModelError, match="a model of kind exact plays with PyTorch only"):
        engine_of(model, HERE)
    with pytest.raises(KeyError, match=r"first\.weight"):
        ResidualEngine(width=5, height=4, **SIZES[0], weights={})


def test_the_player_needs_no_pytorch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.safetensors"
    write_model(path, random_model(BOARDS[0], SIZES[0]))
    monkeypatch.setattr("c4core.extras.find_spec", lambda _name: None)
    player = parse_player(f"learning-residual:model={path}").make()
    position = Position("4455")
    engine = engine_of(read_model(path), path)
    assert player.choose(position, Dice(1)) == engine.choose(position)
