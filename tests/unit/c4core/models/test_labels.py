"""Positions with exact labels: read from data sets, joined for training, kept apart from tests."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from syrupy.assertion import SnapshotAssertion

from c4core.errors import DatasetError
from c4core.models.labels import Positions, canonical, joined, near, read_joined, read_positions
from c4core.notation import DEFAULT_BOARD
from c4core.position import Position
from tests.support.boards.games import SMALL, random_positions
from tests.support.boards.learning import labelled_arrays, write_dataset
from tests.support.refusals import refusal


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_dataset(tmp_path_factory.mktemp("data") / "set", count=150)


def test_positions_are_read_as_written(data: Path) -> None:
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
    "a wide board": {"planes": np.zeros((5, 2, 7, 10), np.uint8)},
    "too few plies": {"ply": np.zeros(3, np.uint8)},
    "another width": {"best": np.zeros((5, 7), np.uint8)},
    "no column is best": {"best": np.zeros((5, 5), np.uint8)},
    "an impossible value": {"value": np.full(5, 3, np.int8)},
    "objects": {"planes": np.array([object()])},
}


def test_bad_data_sets_are_refused(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    good = labelled_arrays(random_positions(5))

    def said(change: dict[str, NDArray[np.generic] | None]) -> str:
        kept = {name: array for name, array in (good | change).items() if array is not None}
        np.savez(tmp_path / "train.npz", card=np.array("{}"), **kept)
        return refusal(read_positions, tmp_path, "train", error=DatasetError, hiding=tmp_path)

    assert {name: said(change) for name, change in BAD_ARRAYS.items()} == snapshot


def test_a_damaged_or_missing_file_is_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"train\.npz is missing"):
        read_positions(tmp_path, "train")
    content = (data / "train.npz").read_bytes()
    for bad in (content[:-40], b"", b"text"):
        (tmp_path / "train.npz").write_bytes(bad)
        with pytest.raises(DatasetError, match=r"not an NPZ data set|the file is damaged"):
            read_positions(tmp_path, "train")


def labelled(*moves: str) -> Positions:
    """Positions of 5x4 with labels."""
    positions = [Position(each, board="5x4") for each in moves]
    return Positions(**labelled_arrays(positions), board=SMALL)


def test_keys_match_the_positions() -> None:
    moves = ["", "1", "5", "1122", "4453"]
    found = labelled(*moves)
    positions = [Position(each, board="5x4") for each in moves]
    assert found.keys.tolist() == [position.key for position in positions]
    assert canonical(found).tolist() == [position.canonical_key for position in positions]
    # A position in several sets is used once.
    together = joined([labelled("", "1", "12"), labelled("5", "13", "54")])
    assert together.keys.tolist() == labelled("", "1", "12", "13").keys.tolist()


def test_sets_of_different_boards_are_not_joined() -> None:
    late = random_positions(1, board=DEFAULT_BOARD, least_ply=30)  # solved at once
    other = Positions(**labelled_arrays(late), board=DEFAULT_BOARD)
    for join in (lambda: joined([labelled("1"), other]), lambda: near(labelled("1"), other)):
        with pytest.raises(DatasetError, match="different boards: 5x4, 7x6"):
            join()


@pytest.mark.parametrize("seed", range(2))
def test_positions_one_move_away_are_near(seed: int) -> None:
    """A tested position, its mirror image, parents and children are near; no others are."""
    learned, tested = (random_positions(150, seed=each) for each in (seed, seed + 100))
    keys = {position.canonical_key for position in tested}
    after = {
        position.play(column).canonical_key
        for position in tested
        for column in position.legal_columns()
    }
    wanted = [
        position.canonical_key in keys | after
        or any(position.play(c).canonical_key in keys for c in position.legal_columns())
        for position in learned
    ]
    sets = [Positions(**labelled_arrays(each), board=SMALL) for each in (learned, tested)]
    assert near(*sets).tolist() == wanted
    assert any(wanted)
    assert not all(wanted)


def test_positions_near_the_test_are_not_learned(tmp_path: Path) -> None:
    sets = [write_dataset(tmp_path / name, count=200) for name in ("a", "b")]
    (tmp_path / "b" / "train.npz").write_bytes((tmp_path / "a" / "test.npz").read_bytes())
    test = write_dataset(tmp_path / "c", count=20)
    (test / "train.npz").unlink()
    learned, held_out, _ = read_joined(sets, apart_from=[test])
    tested = joined([read_positions(test, split) for split in ("validation", "test")])
    assert not near(learned, tested).any()
    assert not np.isin(canonical(learned), canonical(held_out)).any()
    everything, *_ = read_joined(sets)
    assert 0 < len(learned) < len(everything)


def test_empty_joins_are_refused(tmp_path: Path) -> None:
    data, empty = write_dataset(tmp_path / "a", count=30), tmp_path / "empty"
    empty.mkdir()
    for apart, words in ((data, "no positions are left to learn from"), (empty, "has no NPZ file")):
        with pytest.raises(DatasetError, match=words):
            read_joined([data], apart_from=[apart])
