"""Parquet parts of data sets: damaged files, and valid ones with other columns."""

import io
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from tests.release.fuzz.datasets import answers, small_dataset
from tests.release.fuzz.mutation import mutated
from tests.release.fuzz.target import Target
from tests.support.hostile.parquet import CASES

TYPES = (
    pa.uint8(), pa.int8(), pa.uint64(), pa.float32(), pa.string(), pa.binary(), pa.bool_(),
    pa.null(), pa.large_string(), pa.list_(pa.uint8()), pa.list_(pa.uint8(), 0),
    pa.list_(pa.uint8(), 3), pa.list_(pa.string(), 2), pa.list_(pa.list_(pa.uint8(), 2), 2),
    pa.dictionary(pa.int32(), pa.string()), pa.timestamp("s"), pa.decimal128(5),
    pa.struct([("a", pa.uint8())]), pa.map_(pa.string(), pa.int8()), pa.float16(),
    pa.duration("s"), pa.string_view(),
)  # fmt: skip


def other_column(chance: Random, rows: int) -> Any:  # noqa: ANN401
    """A column of any type: null, equal values, or dictionary entries."""
    kind = chance.choice(TYPES)
    match chance.randrange(3):
        case 0:
            return pa.nulls(rows, kind)
        case 1:
            text = "1" * chance.choice((1, 60, 70, 100_000))
            return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), [text])
        case _:
            try:
                return pa.array(
                    [chance.choice(("1", 1, [1, 2, 3], 1.5, b"x", {"a": 1}))] * rows, kind
                )
            except (pa.ArrowException, TypeError, ValueError):
                return pa.nulls(rows, kind)


def prepare(directory: Path) -> Target:
    """The target."""
    path = small_dataset(directory, "parquet")
    sample = path.read_bytes()
    table = parquet.read_table(io.BytesIO(sample))

    def forged(chance: Random) -> bytes:
        changed = table
        many = chance.choice((0, 1, 1, 1, 3000))
        if many != 1:
            changed = pa.concat_tables([table] * many) if many else table.slice(0, 0)
        for _ in range(chance.choice((1, 1, 2))):
            place = chance.randrange(changed.num_columns)
            name = chance.choice((changed.column_names[place], "more", "", "a.b"))
            try:
                changed = changed.set_column(place, name, other_column(chance, changed.num_rows))
            except pa.ArrowException:
                continue
        out = io.BytesIO()
        codec = chance.choice(("zstd", "snappy", "gzip", "none", "brotli", "lz4"))
        try:
            parquet.write_table(changed, out, compression=codec)
        except pa.ArrowException:
            return sample
        return out.getvalue()

    def make(chance: Random) -> bytes:
        if chance.random() < 0.5:
            return mutated(chance, sample)
        data = forged(chance)
        return mutated(chance, data) if chance.random() < 0.2 else data

    def run(data: bytes) -> list[str]:
        path.write_bytes(data)
        return answers(directory, path)

    return Target(make, run, hostile=CASES, sample=sample)
