"""Books, data sets and the output of commands in Parquet files; other files are refused."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from c4core import Position
from c4core.book import Book
from c4core.book.exchange import read_parquet, write_parquet
from c4core.book.layout import Kind
from c4core.dataset.writing import write_dataset
from c4core.errors import BookContentError
from tests.support.boards.books import digest
from tests.support.boards.datasets import check_there_and_back, check_wrong_bytes, made, recipe
from tests.support.boards.games import EASY
from tests.support.boards.small_books import small_book
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS

START_KEY = Position().key


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.parquet"


@pytest.mark.parametrize("kind", ["complete", "sparse"])
def test_a_book_round_trips(tmp_path: Path, path: Path, kind: Kind) -> None:
    small_book(tmp_path / "a.c4book", width=4, height=4, kind=kind)
    with Book.open(tmp_path / "a.c4book") as book:
        write_parquet(book, path)
        assert parquet.read_table(path).num_rows == len(book)
    read_parquet(path).write(tmp_path / "b.c4book")
    assert digest(tmp_path / "b.c4book") == digest(tmp_path / "a.c4book")


def test_commands(c4: C4) -> None:
    small_book(c4.directory / "b.c4book", width=4, height=4)
    assert c4("book", "export", "b.c4book", "--format", "parquet", "-o", "x").code == 0
    assert c4("book", "import", "x", "--format", "parquet", "--output", "y.c4book").code == 0
    assert digest(c4.directory / "y.c4book") == digest(c4.directory / "b.c4book")


BAD_DESCRIPTIONS = {
    "[" * 200_000: "Expected `object`, got `array`",
    '{"board": 5}': "Expected `str | null`, got `int`",
    '{"kind": "thin"}': "Invalid enum value 'thin'",
    '{"engine_version": "x"}': "Expected `int`, got `str`",
    '{"start": 1e999}': "Number out of range",
}


def test_bad_descriptions_are_refused(path: Path) -> None:
    keys, scores = pa.array([START_KEY], pa.uint64()), pa.array([1], pa.int8())
    table = pa.table({"key": keys, "score": scores})
    refusal = f"{path.name}: this is not a book in Parquet: .*"
    for about, what in BAD_DESCRIPTIONS.items():
        parquet.write_table(table.replace_schema_metadata({"c4_book": about}), path)
        with pytest.raises(BookContentError, match=refusal + re.escape(what)):
            read_parquet(path)


def test_other_files_are_refused(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_parquet(path)
    for content in (b"", b"PAR1 is not enough", b"PAR1" + bytes(100) + b"PAR1"):
        path.write_bytes(content)
        with pytest.raises(BookContentError, match="this is not a book in Parquet"):
            read_parquet(path)


def write_keys(keys: Any, path: Path) -> None:  # noqa: ANN401 (an array of any type)
    """Write a file whose keys may be of any type."""
    scores = pa.array([1] * len(keys), pa.int8())
    parquet.write_table(pa.table({"key": keys, "score": scores}), path, compression="zstd")


def test_columns_of_other_types_are_refused(path: Path) -> None:
    for keys, kind in (
        (pa.array([[START_KEY]]), "list<"),
        (pa.array([[START_KEY]], pa.list_(pa.uint64(), 1)), "fixed_size_list<"),
        (pa.array([{"a": START_KEY}]), "struct<"),
        (pa.array([str(START_KEY)]), "string"),
        (pa.array([1.5]), "double"),
        (pa.array([True]), "bool"),
    ):
        write_keys(keys, path)
        with pytest.raises(BookContentError, match=f"column key is of type {kind}"):
            read_parquet(path)


def test_a_list_of_keys_that_unpacks_to_far_more_is_refused(path: Path) -> None:
    """A single row; its column is ``key.list.element`` instead of ``key``."""
    keys = pa.array(np.full(5_000_000, START_KEY, dtype=np.uint64))
    write_keys(pa.ListArray.from_arrays([0, len(keys)], keys), path)
    del keys
    assert path.stat().st_size < 5000
    before = pa.default_memory_pool().max_memory()
    with pytest.raises(BookContentError, match="column key is of type list<"):
        read_parquet(path)
    assert pa.default_memory_pool().max_memory() - before < 1 << 20


def test_unused_columns_count_towards_the_limit(path: Path) -> None:
    table = pa.table({"key": [START_KEY], "score": [1], "more": ["x" * 10_000_000]})
    parquet.write_table(table, path, compression="zstd")
    with pytest.raises(BookContentError, match="bytes unpack to 10000"):
        read_parquet(path)


def test_a_key_repeated_five_million_times_is_refused(path: Path) -> None:
    rows = 1_000_000
    keys = np.full(rows, START_KEY, dtype=np.uint64)
    table = pa.table({"key": keys, "score": np.ones(rows, dtype=np.int8)})
    with parquet.ParquetWriter(path, table.schema, compression="zstd") as writer:
        for _ in range(5):
            writer.write_table(table)
    assert path.stat().st_size < 50_000
    with pytest.raises(BookContentError, match="bytes cannot hold 5000000 positions"):
        read_parquet(path)


READ_A_BOOK = """
import sys
from c4core.errors import BookContentError
from c4core.book.exchange import read_parquet

try:
    read_parquet(sys.argv[1])
except BookContentError as error:
    print(error)
"""


def test_wrong_statistics_are_ignored(path: Path) -> None:
    """Arrow ends the process when it reads such statistics, so they are not read."""
    write_keys(pa.array([START_KEY], pa.uint64()), path)
    optional, required = b"\x25\x02\x18\x03key", b"\x25\x00\x18\x03key"
    data = path.read_bytes()
    assert data.count(optional) == 1
    path.write_bytes(data.replace(optional, required))  # statistics belong to an optional column
    command = [sys.executable, "-c", READ_A_BOOK, path]
    done = subprocess.run(
        command, capture_output=True, check=False, text=True, timeout=HANG_SECONDS
    )
    assert (done.returncode, done.stderr) == (0, "")


PARTS, CARD = made(recipe())


def test_records_are_read_as_written(tmp_path: Path) -> None:
    check_there_and_back(tmp_path, "parquet")


def test_any_changed_byte_is_an_error_or_a_problem(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, CARD, formats=["parquet"])
    check_wrong_bytes(tmp_path, "parquet", times=100)


def test_every_listed_file_contains_its_part(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, CARD, formats=["npz", "parquet", "jsonl"])
    _, head, _ = (tmp_path / "README.md").read_text().split("---\n", 2)
    told = yaml.safe_load(head)
    (config,) = told["configs"]
    assert config["config_name"] == "default"
    parts = {
        file["split"]: parquet.read_table(tmp_path / file["path"]) for file in config["data_files"]
    }
    assert parts.keys() == PARTS.keys()
    seen: set[int] = set()
    for name, table in parts.items():
        assert table.column_names == [column.name for column in CARD.columns]
        assert len(table) == len(PARTS[name]["key"])
        assert table.column("best").to_pylist() == PARTS[name]["best"].tolist()
        keys = set(table.column("key").to_pylist())
        assert not keys & seen
        seen |= keys
    assert len(seen) == CARD.positions


def rows_of(c4: C4, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parquet.read_table(c4.directory / name).to_pylist()
    return found


def test_stored_positions(c4: C4) -> None:
    lines = "".join(f"{EASY[:length]}\n" for length in range(28, len(EASY) + 1))
    assert c4("analyze", "-q", "-", stdin=lines).code == 0
    for name, *more in (["all"], ["none", "--ply", "3"], ["count", "--count"]):
        assert c4("query", "-o", f"{name}.parquet", *more).code == 0
    assert rows_of(c4, "all.parquet") == c4("query", "--jsonl").objects
    assert rows_of(c4, "none.parquet") == []
    assert rows_of(c4, "count.parquet") == [{"count": 10}]


def test_answers_of_a_job(c4: C4) -> None:
    lines = f"{EASY}\n99\n{EASY}6\n"
    c4("analyze", "-q", "-", stdin=lines)
    assert c4("analyze", "-o", "r.parquet", "-", stdin=lines).code == 1
    rows = rows_of(c4, "r.parquet")
    for row, fields in zip(rows, c4("analyze", "-", stdin=lines).objects, strict=True):
        known = {name: row[name] for name in fields if name != "seconds"}
        assert known == {name: fields[name] for name in known}
    odd = '{"id": "\\ud800", "moves": "' + EASY + '"}'  # half of a surrogate pair, as JSON allows
    assert c4("analyze", "-o", "odd.parquet", "-", stdin=odd).code == 0
    assert rows_of(c4, "odd.parquet")[0]["id"] == "\\ud800"
    job = c4("analyze", "--detach", "-q", "-", stdin=lines).out.strip()
    assert c4("jobs", "resume", job, "--output", "again.parquet").code == 1
    assert len(rows_of(c4, "again.parquet")) == len(rows)
