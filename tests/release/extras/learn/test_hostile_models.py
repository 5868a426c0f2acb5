"""Hostile models in a player, a training and the command line."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from c4core.dice import Dice
from c4core.errors import ModelError
from c4core.models.files import read_model, write_model
from c4core.models.labels import Positions
from c4core.models.loop import train
from c4core.models.torch.courses import ResidualCourse
from c4core.notation import BoardSize
from c4core.players import PlayerError, PlayerFailure, parse_player
from c4core.position import Position
from tests.support.boards.learning import (
    labelled_arrays,
    model_file,
    random_positions,
)
from tests.support.hostile.modelfiles import crafted
from tests.support.hostile.models import SMALL

assert torch

HUGE = {"architecture": SMALL | {"blocks": 99}}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A small model that can play."""
    directory = tmp_path_factory.mktemp("models")
    return model_file(directory, "learning-residual", BoardSize(5, 4)).read_bytes()


def test_a_player_reports_a_hostile_model(tmp_path: Path, sample: bytes) -> None:
    path = tmp_path / "model"
    path.write_bytes(crafted(sample, board=5))
    with pytest.raises(PlayerError, match=r"Expected `str`, got `int` - at `\$.board`"):
        parse_player(f"learning-residual:model={path}").make()
    path.write_bytes(crafted(sample, **HUGE))
    player = parse_player(f"learning-residual:model={path}").make()
    with pytest.raises(PlayerFailure, match="blocks cannot be"):
        player.choose(Position(width=5, height=4), Dice(1))


def test_another_optimizer_is_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "model"
    positions = Positions(**labelled_arrays(random_positions(60)), board=BoardSize(5, 4))

    def course() -> ResidualCourse:
        return ResidualCourse(positions, positions, **SMALL, epochs=2, steps=2, batch=60, games=4)

    model = train(course(), path, epochs=1)
    sound = dict(model.optimizer)
    changes: Any = [
        lambda tensors: tensors.clear(),
        lambda tensors: tensors.popitem(),
        lambda tensors: tensors.update({"policy.bias.more": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"policy.bias.exp_avg": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"policy.bias.step": np.array(1, dtype=np.int8)}),
        lambda tensors: tensors.update({"drawn.chances": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"games.keys": np.zeros(3, dtype=np.uint64)}),
        lambda tensors: tensors.update({"games.scores": np.zeros(3, dtype=np.float32)}),
        lambda tensors: tensors.update({"games.wrong": np.zeros(3, dtype=np.float32)}),
    ]
    for change in changes:
        tensors = dict(sound)
        change(tensors)
        object.__setattr__(model, "optimizer", tensors)
        write_model(path, model)
        with pytest.raises(ModelError, match="cannot be resumed"):
            train(course(), path, epochs=2, resume=read_model(path))
