"""Parquet files of data sets and books: damaged ones, and valid ones with other columns."""

import io
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from c4core.book import Book
from c4core.book.exchange import read_parquet, write_parquet
from c4core.errors import BookError, KeyValueError
from tests.release.fuzz.datasets import answers, small_dataset
from tests.release.fuzz.mutation import mutated
from tests.release.fuzz.target import Target
from tests.support.boards.small_books import small_book
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
            value = chance.choice(("1", 1, [1, 2, 3], 1.5, b"x", {"a": 1}))
            with suppress(pa.ArrowException, TypeError, ValueError):
                return pa.array([value] * rows, kind)
            return pa.nulls(rows, kind)


def forged(chance: Random, table: pa.Table, names: tuple[str, ...], codecs: tuple[str, ...]) -> Any:  # noqa: ANN401
    """A valid file of the table with one or two other columns; None if Arrow cannot write it."""
    for _ in range(chance.choice((1, 1, 2))):
        place = chance.randrange(table.num_columns)
        name = chance.choice((table.column_names[place], *names))
        with suppress(pa.ArrowException):
            table = table.set_column(place, name, other_column(chance, table.num_rows))
    out = io.BytesIO()
    with suppress(pa.ArrowException):
        parquet.write_table(table, out, compression=chance.choice(codecs))
        return out.getvalue()
    return None


def prepare_parquet(directory: Path) -> Target:
    path = small_dataset(directory, "parquet")
    sample = path.read_bytes()
    table = parquet.read_table(io.BytesIO(sample))
    codecs = ("zstd", "snappy", "gzip", "none", "brotli", "lz4")

    def make(chance: Random) -> bytes:
        if chance.random() < 0.5:
            return mutated(chance, sample)
        many = chance.choice((0, 1, 1, 1, 3000))
        rows = pa.concat_tables([table] * many) if many else table.slice(0, 0)
        data = forged(chance, rows, ("more", "", "a.b"), codecs) or sample
        return mutated(chance, data) if chance.random() < 0.2 else data

    def run(data: bytes) -> list[str]:
        path.write_bytes(data)
        return answers(directory, path)

    return Target(make, run, hostile=CASES, sample=sample)


NAMES = ("key", "score", "ply", "key.x", "more", "")


def prepare_book_parquet(directory: Path) -> Target:
    path = directory / "a.parquet"
    small_book(directory / "a.c4book", width=3, height=3)
    with Book.open(directory / "a.c4book") as book:
        write_parquet(book, path)
    sample = path.read_bytes()
    footer = len(sample) - 8 - int.from_bytes(sample[-8:-4], "little")
    table = parquet.read_table(io.BytesIO(sample))

    def make(chance: Random) -> bytes:
        match chance.randrange(4):
            case 0:
                return mutated(chance, sample)
            case 1:  # its metadata, with the right length
                about = mutated(chance, sample[footer:-8])
                return sample[:footer] + about + len(about).to_bytes(4, "little") + b"PAR1"
            case _:
                rows = table.slice(0, chance.choice((0, 1, 5, table.num_rows)))
                rows = pa.concat_tables([rows] * chance.choice((1, 1, 1, 300)))
                data = forged(chance, rows, NAMES, ("zstd", "gzip", "none")) or sample
                return mutated(chance, data) if chance.random() < 0.2 else data

    def run(data: bytes) -> None:
        path.write_bytes(data)
        read_parquet(path)

    return Target(make, run, (BookError, KeyValueError))
