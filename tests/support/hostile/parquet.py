"""Parquet parts of data sets: small files that unpack to a lot, and columns of wrong types."""

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from tests.support.hostile import Case


def written(sample: bytes, table: Any, *, smaller_than: int = 1 << 20) -> bytes:  # noqa: ANN401
    """A file with a table and the sample's card."""
    card = parquet.read_metadata(io.BytesIO(sample)).metadata[b"c4_card"]
    assert json.loads(card)
    out = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata({b"c4_card": card}), out, compression="zstd")
    assert out.tell() < smaller_than
    return out.getvalue()


def columns(**arrays: Callable[[], Any]) -> Callable[[bytes], bytes]:
    """Make a small file of columns, which are created on demand."""
    return lambda sample: written(
        sample, pa.table({name: make() for name, make in arrays.items()}), smaller_than=100_000
    )


def lists_of_lists() -> Any:  # noqa: ANN401
    flat = pa.array(np.zeros(200 * 100_000, dtype=np.uint8))
    inner = pa.FixedSizeListArray.from_arrays(flat, 100_000)
    return pa.FixedSizeListArray.from_arrays(inner, 1)


def large_column() -> Any:  # noqa: ANN401
    flat = pa.array(np.zeros(40 << 20, dtype=np.uint8))
    return pa.FixedSizeListArray.from_arrays(flat, 40)


def column_twice(sample: bytes) -> bytes:
    one = pa.array(np.zeros(5, dtype=np.uint8))
    return written(sample, pa.Table.from_arrays([one, one], names=["ply", "ply"]))


def long_text() -> Any:  # noqa: ANN401
    return pa.array(["1" * (50 << 20)])


def long_texts(sample: bytes) -> bytes:
    """One long text repeated many times, which the file stores once."""
    places = np.zeros(10_000, dtype=np.int32)
    texts = pa.DictionaryArray.from_arrays(places, ["1" * 1_000_000])
    keys = pa.array(np.random.default_rng(1).permutation(10_000).astype("u8"))
    return written(sample, pa.table({"moves": texts, "key": keys}))


def other_type(value: object) -> Case:
    make = columns(ply=lambda: pa.array([value]))
    return Case(f"{value!r} for a number", make, "not a Parquet data set")


def large(name: str, make: Callable[[bytes], bytes], answer: str) -> Case:
    return Case(name, make, answer, is_large=True)


CASES = (
    large("small, but large columns", columns(planes=large_column), "it unpacks to"),
    large("lists of lists", columns(planes=lists_of_lists), "planes is of type fixed_size_list"),
    large("one long text", columns(moves=long_text), "it unpacks to 52,"),
    Case("a column that occurs twice", column_twice, "a column occurs twice"),
    large("one long text many times", long_texts, "longer than any line"),
    *map(other_type, (None, {"a": 1}, 1.5, "x", [1, 2], b"x", True, 2**40)),
    Case("no entry", columns(ply=lambda: pa.array([None], type=pa.uint8())), "no entry"),
)
