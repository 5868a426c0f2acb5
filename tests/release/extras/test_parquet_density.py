"""The densest parts of data sets as Parquet can be read; NPZ is in the gate."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from c4core.batch import UNPLAYABLE
from c4core.dataset.allowance import LEAST_FILE, MAX_PER_BYTE
from c4core.dataset.formats import FORMATS
from c4core.dataset.records import are_full, make_records
from c4core.notation import BoardSize
from tests.support.boards.datasets import first_positions

assert pa


@pytest.mark.parametrize("representations", [("planes",), ("moves",), ("planes", "moves")])
def test_the_densest_parts_that_there_are(tmp_path: Path, representations: tuple[str, ...]) -> None:
    """All first positions of the largest board take the most memory for each byte of a file."""
    board = BoardSize(8, 7)
    keys = first_positions(board, 4)
    scores = np.where(are_full(keys, board), UNPLAYABLE, 0).astype(np.int8)
    records = make_records(keys, scores, board=board, seed=1, representations=representations)
    path = tmp_path / "train.parquet"
    FORMATS["parquet"].write(path, records, "{}")
    taken = sum(array.nbytes for array in records.values())
    assert taken < 0.6 * MAX_PER_BYTE * max(path.stat().st_size, LEAST_FILE)
    found, _ = FORMATS["parquet"].read(path)
    assert found["key"].tolist() == keys.tolist()
