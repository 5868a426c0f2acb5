"""Data sets with exact labels, and what models are worth on them."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from c4core.dataset.errors import DatasetError
from c4core.training.labels import read_positions
from tests.support.boards.learning import (
    REASON,
    SMALL,
    labelled_arrays,
    random_positions,
    write_dataset,
)

torch = pytest.importorskip("torch", reason=REASON)

from c4core.learning.modelfile import Model  # noqa: E402
from c4core.training.curves import draw_curves  # noqa: E402
from c4core.training.report import (  # noqa: E402
    Confusion,
    confusion_object,
    share_of_best,
    shares_object,
)

SHARES = ("result_kept", "quiet_decisive", "best_share")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("data") / "set", count=150)


def test_read_as_written(data: Path) -> None:
    found = read_positions(data, "test")
    positions = random_positions(150, seed=2)
    assert (len(found), found.board) == (150, SMALL)
    assert found.ply.tolist() == [position.ply for position in positions]
    for is_open, position in zip(found.is_open, positions, strict=True):
        assert np.flatnonzero(is_open).tolist() == list(position.legal_columns())
    assert found.fingerprint != read_positions(data, "train").fingerprint


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"best": None}, "has no array best"),
        ({"planes": np.zeros((5, 3, 4, 5), np.uint8)}, r"planes are uint8 \(5, 3, 4, 5\), not"),
        ({"planes": np.zeros((5, 2, 4, 5), np.float32)}, "column planes is of type float32"),
        ({"planes": np.zeros((5, 2, 40, 5), np.uint8)}, "impossible board 5x40"),
        ({"ply": np.zeros(3, np.uint8)}, r"ply is \(3,\), not \(5,\)"),
        ({"best": np.zeros((5, 7), np.uint8)}, r"best is \(5, 7\), not \(5, 5\)"),
        ({"best": np.zeros((5, 5), np.uint8)}, "a position has no best column"),
        ({"value": np.full(5, 3, np.int8)}, "a position has no best column or no value"),
        ({"planes": np.array([object()])}, "this is no data set in NPZ"),
    ],
)
def test_bad_data_sets(
    tmp_path: Path, change: dict[str, NDArray[np.generic] | None], message: str
) -> None:
    arrays = labelled_arrays(random_positions(5)) | change
    kept = {name: array for name, array in arrays.items() if array is not None}
    np.savez(tmp_path / "train.npz", card=np.array("{}"), **kept)
    with pytest.raises(DatasetError, match=message) as caught:
        read_positions(tmp_path, "train")
    assert caught.value.path == str(tmp_path / "train.npz")


def test_a_damaged_or_missing_file(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"train\.npz is missing"):
        read_positions(tmp_path, "train")
    content = (data / "train.npz").read_bytes()
    for bad in (content[:-40], b"", b"text"):
        (tmp_path / "train.npz").write_bytes(bad)
        with pytest.raises(DatasetError, match=r"this is no data set in NPZ|the file is damaged"):
            read_positions(tmp_path, "train")


class Leftmost(torch.nn.Module):
    """Likes columns the more the further on the left they are."""

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        return -torch.arange(planes.shape[-1]).float().expand(len(planes), -1)


def test_shares_are_counted(data: Path) -> None:
    positions = read_positions(data, "train")
    shares = share_of_best(Leftmost(), "selfplay", positions)
    played = random_positions(150, seed=0)
    arrays = labelled_arrays(played)
    right = [
        bool(best[position.legal_columns()[0]])
        for position, best in zip(played, arrays["best"], strict=True)
    ]
    assert shares.best_share == pytest.approx(sum(right) / 150)
    assert shares.positions == 150
    assert shares.value_share is None
    chances = [
        best.sum() / len(position.legal_columns())
        for position, best in zip(played, arrays["best"], strict=True)
    ]
    assert shares.chance_share == pytest.approx(sum(chances) / 150, abs=1e-4)
    assert [ply.ply for ply in shares.plies] == sorted({position.ply for position in played})
    told = shares_object(shares)
    assert sum(ply["positions"] for ply in told["plies"]) == told["positions"] == 150


class Sum(torch.nn.Module):
    """Says that player 1 has won where it has more stones."""

    def forward(self, grids: torch.Tensor) -> torch.Tensor:
        return (grids.sum(dim=(1, 2, 3)) > 0).float()


def test_confusion_is_counted() -> None:
    grids = torch.zeros(10, 1, 4, 5)
    grids[:6, 0, 0, 0] = 1
    won = torch.tensor([True] * 4 + [False] * 2 + [True] + [False] * 3)
    confusion = Confusion.of(Sum(), grids, won)
    assert confusion == Confusion(true_true=4, true_false=1, false_true=2, false_false=3)
    assert confusion.accuracy == 0.7
    assert confusion_object(confusion)["games"] == 10


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("cnn", ("accuracy", "test_accuracy", "loss", "test_loss")),
        ("exact", ("best_share", "value_accuracy", "policy_loss", "value_loss")),
        ("selfplay", ("won_random", "won_set", "loss")),
        ("residual", (*SHARES, "policy_loss", "kept_loss", "value_loss")),
        ("tuples", (*SHARES, "policy_loss", "value_loss")),
    ],
)
def test_curves_are_drawn(tmp_path: Path, kind: str, names: tuple[str, ...]) -> None:
    pytest.importorskip("matplotlib")
    history = [{"epoch": epoch, **dict.fromkeys(names, 1 / epoch)} for epoch in (1, 2, 3)]
    model = Model(kind, SMALL, {}, {}, history, {})
    paths = [tmp_path / name for name in ("a.svg", "b.svg", "c.png")]
    for path in paths:
        draw_curves(model, path)
    assert paths[0].read_bytes().startswith(b"<?xml")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[2].read_bytes().startswith(b"\x89PNG")
