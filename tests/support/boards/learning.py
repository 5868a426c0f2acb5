"""Small data sets and models for tests of learning."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from c4core import Position, Solver
from c4core.dataset.files import write_npz
from c4core.evaluation import NO_SCORE
from c4core.models.files import Model, write_model
from c4core.models.planes import planes_of_positions
from c4core.models.residual import STAR, side_prefix, weight_shapes
from c4core.notation import BoardSize
from tests.support.boards.games import SMALL, random_positions

REASON = "learning needs PyTorch: pip install torch"


def labelled_arrays(positions: list[Position]) -> dict[str, NDArray[np.generic]]:
    """The arrays of a data set file, with exact labels."""
    analysis = Solver(table_mb=1).analyze_many(positions)
    scores = analysis.scores.max(axis=1)
    best = (analysis.scores == scores[:, np.newaxis]) & (analysis.scores != NO_SCORE)
    return {
        "planes": planes_of_positions(positions, moved=False),
        "ply": np.array([position.ply for position in positions], dtype=np.uint8),
        "value": np.sign(scores).astype(np.int8),
        "best": best.astype(np.uint8),
        "column_scores": analysis.scores,
    }


def write_dataset(
    directory: Path, *, board: BoardSize = SMALL, count: int = 300, least_ply: int = 0
) -> Path:
    """Write a data set of random positions; all splits come from the same play."""
    directory.mkdir()
    for seed, split in enumerate(("train", "validation", "test")):
        positions = random_positions(count, seed=seed, board=board, least_ply=least_ply)
        write_npz(directory / f"{split}.npz", labelled_arrays(positions), "{}")
    return directory


def outside(*_: object) -> int:
    """A player that always chooses a column outside the board."""
    return 8


ARCHITECTURES: dict[str, dict[str, Any]] = {
    "learning-cnn": {"padding": "same"},
    "learning-residual": {"channels": 8, "blocks": 1, "hidden": 8},
}
"""Small networks, by player."""


def model_file(directory: Path, player: str, board: BoardSize, *, seed: int = 1) -> Path:
    """A model file with random weights for a player; skip the test if PyTorch is missing."""
    player = player.removesuffix("-search")
    kind, architecture = player.removeprefix("learning-"), ARCHITECTURES[player]
    path = directory / f"{kind}.safetensors"
    write_model(path, Model(kind, board, architecture, {}, [], _random_weights(kind, board, seed)))
    return path


def _random_weights(kind: str, board: BoardSize, seed: int) -> dict[str, NDArray[np.generic]]:
    architecture: dict[str, Any] = ARCHITECTURES[f"learning-{kind}"]
    pytest.importorskip("torch", reason=REASON)
    from c4core.models.torch.networks import arrays_of, new_network  # noqa: PLC0415 (an optional dependency)

    return dict(arrays_of(new_network(kind, board, architecture, seed=seed).state_dict()))


def residual_model(board: BoardSize, sizes: dict[str, int], *, seed: int = 1) -> Model:
    """A residual model with random weights in PyTorch's shapes, made without PyTorch."""
    chance = np.random.default_rng(seed)
    weights: dict[str, NDArray[np.generic]] = {}
    for name, shape in weight_shapes(board.height, **sizes).items():
        array = chance.normal(0, shape[0] ** -0.5, shape).astype(np.float32)
        if name.endswith("bias"):
            weights[name] = array
        elif "first" in name:
            weights[name] = array.T.reshape(shape[1], len(STAR), -1).transpose(0, 2, 1).copy()
        elif "blocks" in name:
            weights[name] = array.T.reshape(shape[1], 3, 3, -1).transpose(0, 3, 2, 1).copy()
        else:
            weights[name] = np.ascontiguousarray(array.T)
    sides = sizes.get("sides", 1)
    for prefix in (side_prefix(side, sides) for side in range(sides)):
        # No engine needs the score head.
        weights[f"{prefix}score.weight"] = np.zeros((1, sizes["hidden"]), dtype=np.float32)
        weights[f"{prefix}score.bias"] = np.zeros(1, dtype=np.float32)
    return Model("residual", board, dict(sizes), {}, [], weights)
