"""Positions with exact labels are read from data sets."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from syrupy.assertion import SnapshotAssertion

from c4core.dataset.errors import DatasetError
from c4core.models.labels import read_positions
from tests.support.boards.learning import SMALL, labelled_arrays, random_positions, write_dataset
from tests.support.refusals import refusal


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


BAD_ARRAYS: dict[str, dict[str, NDArray[np.generic] | None]] = {
    "no best columns": {"best": None},
    "three planes": {"planes": np.zeros((5, 3, 4, 5), np.uint8)},
    "planes of floats": {"planes": np.zeros((5, 2, 4, 5), np.float32)},
    "an impossible board": {"planes": np.zeros((5, 2, 40, 5), np.uint8)},
    "too few plies": {"ply": np.zeros(3, np.uint8)},
    "another width": {"best": np.zeros((5, 7), np.uint8)},
    "no column is best": {"best": np.zeros((5, 5), np.uint8)},
    "an impossible value": {"value": np.full(5, 3, np.int8)},
    "objects": {"planes": np.array([object()])},
}


def test_bad_data_sets(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    good = labelled_arrays(random_positions(5))

    def said(change: dict[str, NDArray[np.generic] | None]) -> str:
        kept = {name: array for name, array in (good | change).items() if array is not None}
        np.savez(tmp_path / "train.npz", card=np.array("{}"), **kept)
        return refusal(read_positions, tmp_path, "train", error=DatasetError, hiding=tmp_path)

    assert {name: said(change) for name, change in BAD_ARRAYS.items()} == snapshot


def test_a_damaged_or_missing_file(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"train\.npz is missing"):
        read_positions(tmp_path, "train")
    content = (data / "train.npz").read_bytes()
    for bad in (content[:-40], b"", b"text"):
        (tmp_path / "train.npz").write_bytes(bad)
        with pytest.raises(DatasetError, match=r"this is no data set in NPZ|the file is damaged"):
            read_positions(tmp_path, "train")
