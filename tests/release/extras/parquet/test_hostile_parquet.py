"""Hostile Parquet files are refused with the right message, using little memory."""

from pathlib import Path

import pyarrow as pa
import pytest

from tests.support.boards.datasets import check_densest_part
from tests.support.hostile import Case, parquet
from tests.support.hostile.checking import MEMORY, Reader, check, reader


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return reader("parquet", tmp_path_factory.mktemp("parquet"))


@pytest.mark.parametrize("case", parquet.CASES, ids=str)
def test_hostile_file_is_refused(part: Reader, case: Case) -> None:
    data = case.make(part.sample)  # not counted
    usual = pa.default_memory_pool()
    counting = pa.proxy_memory_pool(usual)
    pa.set_memory_pool(counting)
    try:
        check(part, case._replace(make=lambda _sample: data))
    finally:
        pa.set_memory_pool(usual)
    assert (counting.max_memory() or 0) < MEMORY


@pytest.mark.parametrize("representations", [("planes",), ("moves",), ("planes", "moves")])
def test_the_densest_parts_are_read(tmp_path: Path, representations: tuple[str, ...]) -> None:
    check_densest_part(tmp_path / "train.parquet", representations)
