"""Models as players: rules, ties, sides, and the contents of their files."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st
from syrupy.assertion import SnapshotAssertion

from c4core import Position, extras
from c4core.arena.game import Ending, play_game
from c4core.dice import Dice
from c4core.models.files import KINDS
from c4core.models.planes import planes_of_positions
from c4core.models.torch.networks import new_network
from c4core.models.torch.playing import choose_column, residual_columns, residual_policies
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.players import Failing, PlayerError, PlayerFailure, parse_player
from c4core.players.errors import PlayerMissingError
from tests.support.boards.games import random_positions
from tests.support.boards.learning import ARCHITECTURES, model_file
from tests.support.boards.player_positions import named


def make_model(
    directory: Path, kind: str, *, seed: int = 1, board: BoardSize = DEFAULT_BOARD
) -> Path:
    return model_file(directory, f"learning-{kind}", board, seed=seed)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("models")
    return {kind: make_model(directory, kind) for kind in KINDS}


class Stub(torch.nn.Module):
    """A network that is a function of grids."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function
        self.seen: list[torch.Tensor] = []

    def forward(self, grids: torch.Tensor) -> torch.Tensor:
        self.seen.append(grids)
        return self.function(grids)


def constant(grids: torch.Tensor) -> torch.Tensor:
    return torch.full((len(grids),), 0.5)


def has_four(grids: torch.Tensor) -> torch.Tensor:
    """1 for grids that contain a line of four 1s."""
    ones = (grids == 1).float()
    kernels = [torch.ones(1, 1, 1, 4), torch.ones(1, 1, 4, 1)]
    diagonal = torch.eye(4).view(1, 1, 4, 4)
    kernels += [diagonal, diagonal.flip(-1)]
    found = [torch.nn.functional.conv2d(ones, kernel).flatten(1).amax(1) == 4 for kernel in kernels]
    return torch.stack(found).any(0).float()


def test_ties_are_broken_to_the_left() -> None:
    network = Stub(constant)
    assert choose_column(network, Position()) == 0
    assert choose_column(network, Position("111111")) == 1
    assert choose_column(network, Position("1111112222223")) == 2
    assert [len(grids) for grids in network.seen] == [7, 6, 5]  # all columns in one batch


def test_a_winning_column_is_played() -> None:
    assert choose_column(Stub(has_four), named("P1")) == 2


def test_the_side_to_move_is_player_1() -> None:
    # Both have three; o has them in the bottom row, and x, the first player, in column 7.
    position = Position("7172735")
    assert position.turn == "o"
    assert choose_column(Stub(has_four), position) == 3
    assert choose_column(Stub(has_four), Position("71727351")) == 6


def test_the_grid_has_its_top_row_first() -> None:
    network = Stub(constant)
    choose_column(network, Position("4"))
    first = network.seen[0][0, 0]  # o has played column 1
    assert (first[5, 0], first[5, 3]) == (1, -1)
    assert first.abs().sum() == 2


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=10)
def test_every_move_is_legal_and_reproducible(
    models: dict[str, Path], kind: str, seed: int
) -> None:
    player = parse_player(f"learning-{kind}:model={models[kind]}").make()
    (position,) = random_positions(1, seed=seed, board=DEFAULT_BOARD)
    column = player.choose(position, Dice(seed))
    assert column in position.legal_columns()
    assert player.choose(position, Dice(seed + 1)) == column
    assert not player.is_random


def test_the_best_open_column_is_played() -> None:
    network = new_network("residual", DEFAULT_BOARD, ARCHITECTURES["learning-residual"], seed=4)
    positions = random_positions(30, board=DEFAULT_BOARD)
    policies = residual_policies(network, planes_of_positions(positions, moved=False))
    chosen = residual_columns(network, positions)
    for position, row, column in zip(positions, policies, chosen, strict=True):
        order = np.argsort(-row, kind="stable").tolist()
        assert column == next(each for each in order if position.is_legal(each))


def test_the_description_names_the_weights(models: dict[str, Path], tmp_path: Path) -> None:
    spec = parse_player(f"learning-cnn:model={models['cnn']}")
    assert spec == parse_player(spec.full) == parse_player(spec.text)
    assert spec.full.startswith(f"learning-cnn:model={models['cnn']},weights=")
    other = make_model(tmp_path, "cnn", seed=2)
    weights = spec.full.rpartition("=")[2]
    with pytest.raises(PlayerError, match="has the weights") as caught:
        parse_player(f"learning-cnn:model={other},weights={weights}")
    assert caught.value.parameter == "weights"


def test_a_file_that_changes_meanwhile_is_detected(tmp_path: Path) -> None:
    path = make_model(tmp_path, "cnn")
    player = parse_player(f"learning-cnn:model={path}").make()
    make_model(tmp_path, "cnn", seed=2)
    with pytest.raises(PlayerFailure, match="has changed: weights"):
        player.choose(Position(), Dice(1))


def test_another_board_is_a_failure(tmp_path: Path) -> None:
    small = BoardSize(5, 4)
    player = parse_player(f"learning-cnn:model={make_model(tmp_path, 'cnn', board=small)}")
    with player.make() as made:
        made.check_board(small)
        with pytest.raises(PlayerError, match=r"cnn\.safetensors plays on 5x4, not on 7x6"):
            made.check_board(DEFAULT_BOARD)
        with pytest.raises(PlayerFailure, match="plays on 5x4, not on 7x6") as caught:
            made.choose(Position(), Dice(1))
        assert caught.value.failing is Failing.ERROR
        other = parse_player("random").make()
        start = Position(board="5x4")
        assert play_game(made, other, start=start).ending in {Ending.FOUR, Ending.FULL}
        assert play_game(made, other).ending is Ending.ERROR


def test_bad_descriptions_are_refused(models: dict[str, Path], snapshot: SnapshotAssertion) -> None:
    files = {name: str(path) for name, path in models.items()} | {"here": __file__}

    def said(text: str) -> str:
        with pytest.raises(PlayerError) as caught:
            parse_player(text.format(**files))
        assert caught.value.player == "learning-cnn"
        shown = str(caught.value)
        for name, path in files.items():
            shown = shown.replace(path, f"{{{name}}}")
        return shown

    texts = [
        "", ":model=", ":model=no/such.file", ":model=.", ":model={residual}",
        ":model={cnn},weights=12", ":model={here}",
    ]  # fmt: skip
    assert {f"learning-cnn{text}": said(f"learning-cnn{text}") for text in texts} == snapshot


def test_missing_pytorch(models: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    with pytest.raises(PlayerMissingError, match=r"pip install torch"):
        parse_player(f"learning-cnn:model={models['cnn']}")
