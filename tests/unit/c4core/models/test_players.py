"""The residual network without PyTorch, and the trained network included in c4."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from syrupy.assertion import SnapshotAssertion

from c4core.dice import Dice
from c4core.errors import BoardError, ModelError
from c4core.models.files import LARGEST, read_model
from c4core.models.labels import Positions
from c4core.models.players import engine_of, named_file, shipped_file
from c4core.models.quality import evaluate_player
from c4core.models.residual import ResidualEngine, kernels, side_prefix
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.players import parse_player
from c4core.position import Position
from tests.support.boards.games import random_positions
from tests.support.boards.learning import labelled_arrays, residual_model
from tests.support.refusals import refusal

BOARDS = [BoardSize(7, 6), BoardSize(5, 4), BoardSize(4, 9), BoardSize(9, 6)]
SIZES = [
    {"channels": 8, "blocks": 1, "hidden": 8},
    {"channels": 16, "blocks": 2, "hidden": 8},
    {"channels": 24, "blocks": 1, "hidden": 32},
    {"channels": 8, "blocks": 1, "hidden": 8, "sides": 2},
]

HERE = Path("model")

SHIPPED = shipped_file("residual")
FINGERPRINT = "1f6f6fb595d9"
MOST_BYTES = 1_000_000

ENGINE = engine_of(residual_model(BOARDS[0], SIZES[1]), HERE)


@pytest.mark.parametrize(("board", "sizes"), list(zip(BOARDS, SIZES, strict=True)), ids=str)
def test_all_kernels_give_identical_results(board: BoardSize, sizes: dict[str, int]) -> None:
    model = residual_model(board, sizes)
    first, *others = (engine_of(model, HERE, kernel=name) for name in kernels())
    for position in random_positions(40, seed=4, board=board):
        for engine in others:
            assert engine.evaluate(position) == first.evaluate(position)
    with pytest.raises(ModelError, match="kernel 'fast' does not run here; choose one of portable"):
        engine_of(model, HERE, kernel="fast")


def test_mirror_images_get_the_mirrored_worths() -> None:
    for position in random_positions(15, seed=5, board=BOARDS[0]):
        assert ENGINE.evaluate(position.mirrored()) == ENGINE.evaluate(position)[::-1]


def test_each_side_plays_with_its_own_weights() -> None:
    board, sizes = BOARDS[0], SIZES[0]
    models = [residual_model(board, sizes, seed=seed) for seed in (1, 2)]
    weights = {
        side_prefix(side, 2) + name: array
        for side, model in enumerate(models)
        for name, array in model.weights.items()
    }
    both = engine_of(replace(models[0], architecture={**sizes, "sides": 2}, weights=weights), HERE)
    alone = [engine_of(model, HERE) for model in models]
    for position in random_positions(20, seed=6, board=board):
        assert both.evaluate(position) == alone[position.ply % 2].evaluate(position)


def test_only_open_columns_of_its_board_are_played() -> None:
    position = Position("111111222222333333")
    worths = ENGINE.evaluate(position)
    assert [worth is None for worth in worths] == [True] * 3 + [False] * 4
    assert ENGINE.choose(position) in {3, 4, 5, 6}
    with pytest.raises(ValueError, match="a model of 7x6 cannot judge a position of 5x4"):
        ENGINE.evaluate(Position(board="5x4"))
    with pytest.raises(ValueError, match="the game is over"):
        ENGINE.choose(Position("1212121"))
    with pytest.raises(BoardError, match="models need a board with"):
        ResidualEngine(board="10x7", weights={}, **SIZES[0])


def test_unroundable_weights_are_refused(snapshot: SnapshotAssertion) -> None:
    def said(number: float) -> str:
        model = residual_model(BOARDS[1], SIZES[0])
        strange = {name: np.full_like(array, number) for name, array in model.weights.items()}
        return refusal(engine_of, replace(model, weights=strange), HERE, error=ModelError)

    assert [said(number) for number in (np.nan, -np.inf, 3e38, -5e3)] == snapshot


@given(seed=st.integers(0, 10_000), scale=st.sampled_from([0.01, 1, 10, 100]))
@settings(max_examples=15)
def test_no_sum_overflows(seed: int, scale: float) -> None:
    """Positive weights and the largest activations give positive worths."""
    small = residual_model(BOARDS[1], SIZES[2], seed=seed)
    huge = {name: np.abs(array) * np.float32(scale) for name, array in small.weights.items()}
    model = replace(small, weights=huge)
    engines = [engine_of(model, HERE, kernel=name) for name in kernels()]
    for position in random_positions(3, seed=seed, board=BOARDS[1]):
        worths = engines[0].evaluate(position)
        assert all(worth is None or worth > 0 for worth in worths)
        assert all(engine.evaluate(position) == worths for engine in engines)


def test_inconsistent_models_are_refused(snapshot: SnapshotAssertion) -> None:
    def said(changes: dict[str, Any]) -> str:
        model = residual_model(BOARDS[1], SIZES[0])
        model.architecture.update(changes)
        return refusal(engine_of, model, HERE, error=ModelError)

    assert [
        said({"channels": 12}),
        said({"channels": LARGEST["channels"] + 8}),
        said({"channels": True}),
        said({"hidden": 0}),
        said({"blocks": -1}),
        said({"blocks": 2}),
        said({"blocks": None}),
        said({"hidden": 16}),
        said({"sides": 0}),
        said({"sides": 2}),
        said({"sides": 3}),
    ] == snapshot
    assert "too large" in said({"channels": 2**70})  # Python's own message


def test_weights_of_another_type_or_kind_are_refused() -> None:
    model = residual_model(BOARDS[1], SIZES[0])
    halves = {name: array.astype(np.float16) for name, array in model.weights.items()}
    with pytest.raises(ModelError, match="is float16"):
        engine_of(replace(model, weights=halves), HERE)
    with pytest.raises(ModelError, match="a model of kind cnn plays with PyTorch only"):
        engine_of(replace(model, kind="cnn"), HERE)
    with pytest.raises(KeyError, match=r"first\.weight"):
        ResidualEngine(board="5x4", **SIZES[0], weights={})


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_every_win_in_one_is_played(board: BoardSize) -> None:
    engine = engine_of(residual_model(board, SIZES[0]), HERE)
    count = 0
    for position in random_positions(200, seed=2, board=board):
        wins = [column for column in position.legal_columns() if position.is_winning(column)]
        assert not wins or engine.choose(position) in wins
        count += bool(wins)
    assert count > 10


def test_the_shipped_network() -> None:
    assert SHIPPED.stat().st_size < MOST_BYTES
    model = read_model(SHIPPED)
    assert (model.kind, model.board, model.fingerprint) == ("residual", DEFAULT_BOARD, FINGERPRINT)
    assert model.optimizer == {}
    assert model.settings["positions"] > 1_000_000
    assert named_file("shipped", "residual") == SHIPPED
    assert named_file("other.safetensors", "residual") == Path("other.safetensors")
    player = parse_player("learning-residual")
    assert player.full == f"learning-residual:model=shipped,weights={FINGERPRINT}"
    assert (player.kind.stands_alone, player.needs_files) == (True, False)
    assert parse_player(f"learning-residual:model={SHIPPED}").needs_files


def test_the_shipped_players_need_no_pytorch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("c4core.extras.find_spec", lambda _name: None)
    with parse_player("learning-residual").make() as player:
        assert player.choose(Position(), Dice(1)) == 3


def test_the_shipped_network_plays_nearly_perfectly() -> None:
    """Late positions, whose exact scores are found at once."""
    positions = random_positions(1000, seed=5, board=DEFAULT_BOARD, least_ply=26)
    labelled = Positions(**labelled_arrays(positions), board=DEFAULT_BOARD)
    engine = engine_of(read_model(SHIPPED), SHIPPED)
    quality = evaluate_player(parse_player("learning-residual").make(), labelled).quality
    assert quality.everywhere.outcome >= 0.99 * quality.everywhere.positions
    assert quality.everywhere.strict >= 0.97 * quality.everywhere.positions
    assert quality.wins.missed == quality.blocks.missed == 0
    assert quality.wins.positions > 250
    assert engine.choose(Position()) == 3
