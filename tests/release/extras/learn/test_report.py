"""Data sets with exact labels, and what models are worth on them."""

from pathlib import Path

import pytest
import torch

from c4core.models.labels import read_positions
from c4core.models.torch.report import Confusion, confusion_object, share_of_best, shares_object
from tests.support.boards.learning import (
    labelled_arrays,
    random_positions,
    write_dataset,
)

SHARES = ("result_kept", "quiet_decisive", "best_share")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("data") / "set", count=150)


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
