"""The safetensors format: as its own package reads and writes it, and refused where it is wrong."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from syrupy.assertion import SnapshotAssertion

from c4core.models.files import METADATA, read_tensors, write_tensors
from tests.support.refusals import refusal

TENSORS = {
    "bytes": np.arange(3, dtype=np.uint8),
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "none": np.zeros((0, 4), dtype=np.int16),
    "one": np.array(7, dtype=np.int64),
    "yes": np.array([True, False]),
}
LIMITS = {"max_header": 10_000, "max_tensors": 10}


def same(found: dict[str, Any]) -> bool:
    return found.keys() == TENSORS.keys() and all(
        array.dtype == TENSORS[name].dtype and np.array_equal(array, TENSORS[name])
        for name, array in found.items()
    )


def test_the_package_reads_what_is_written(tmp_path: Path) -> None:
    write_tensors(tmp_path / "own", TENSORS, {"c4": "text"})
    assert same(load_file(tmp_path / "own"))
    metadata, found = read_tensors(tmp_path / "own", **LIMITS)
    assert metadata == {"c4": "text"}
    assert same(found)


def test_what_the_package_writes_is_read(tmp_path: Path) -> None:
    save_file(TENSORS, tmp_path / "theirs", {"c4": "text"})
    metadata, found = read_tensors(tmp_path / "theirs", **LIMITS)
    assert metadata == {"c4": "text"}
    assert same(found)


def entry(shape: object, begin: object, end: object, dtype: object = "U8") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


BAD_HEADERS: dict[str, object] = {
    "no object": [],
    "metadata as a list": {METADATA: []},
    "a number in the metadata": {METADATA: {"a": 1}},
    "a number as a tensor": {"a": 5},
    "an unknown type": {"a": entry([4], 0, 4, "F128")},
    "a list as a type": {"a": entry([4], 0, 4, ["U8"])},
    "a negative size": {"a": entry([-4], 0, 4)},
    "a truth value as a size": {"a": entry([True] * 2, 0, 4)},
    "a huge size": {"a": entry([1 << 60], 0, 1 << 60)},
    "too many dimensions": {"a": entry([1] * 40, 0, 1)},
    "a number as a shape": {"a": entry(4, 0, 4)},
    "a place that is too large": {"a": entry([3], 0, 4)},
    "a type that is too large": {"a": entry([4], 0, 4, "F32")},
    "more than the file": {"a": entry([1 << 40], 0, 1 << 40)},
    "a gap at the begin": {"a": entry([3], 1, 4)},
    "an overlap": {"a": entry([3], 0, 3), "b": entry([2], 2, 4)},
    "bytes at the end": {"a": entry([3], 0, 3)},
    "too many tensors": {str(number): entry([0], 0, 0) for number in range(11)},
    "too long a header": "x" * 20_000,
}


def test_bad_headers(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    def said(header: object) -> str:
        text = json.dumps(header).encode()
        (tmp_path / "file").write_bytes(len(text).to_bytes(8, "little") + text + b"1234")
        return refusal(read_tensors, tmp_path / "file", **LIMITS, error=ValueError)

    assert {name: said(header) for name, header in BAD_HEADERS.items()} == snapshot


def test_a_header_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes((99).to_bytes(8, "little") + b"{}")
    with pytest.raises(ValueError, match="ends within its header"):
        read_tensors(tmp_path / "file", **LIMITS)


def test_types_without_a_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="tensor a cannot be of type complex64"):
        write_tensors(tmp_path / "file", {"a": np.zeros(2, dtype=np.complex64)}, {})
