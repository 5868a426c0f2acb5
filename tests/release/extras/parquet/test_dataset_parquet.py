"""Data sets in Parquet files: written, read again, and refused if anything is wrong."""

from pathlib import Path

import numpy as np
import yaml
from pyarrow import parquet

from c4core.dataset.card import as_text
from c4core.dataset.card_reading import read_card
from c4core.dataset.reading import FORMATS, inspect
from c4core.dataset.writing import write_dataset
from tests.support.boards.datasets import check_wrong_bytes, made, recipe
from tests.support.running.command_line import C4

PARTS, CARD = made(recipe())
FORMAT = FORMATS["parquet"]


def test_there_and_back(tmp_path: Path) -> None:
    for name, records in PARTS.items():
        path = tmp_path / f"{name}.parquet"
        FORMAT.write(path, records, as_text(CARD))
        found, text = FORMAT.read(path)
        assert list(found) == list(records)
        for column, array in records.items():
            assert found[column].dtype.kind == array.dtype.kind
            assert found[column].reshape(array.shape).tolist() == array.tolist()
        assert text is not None
        assert read_card(text, "x")[0] == CARD


def test_keys_of_a_board_of_64_bits(tmp_path: Path) -> None:
    path = tmp_path / "train.parquet"
    keys = np.array([1, (1 << 63) - 1, 1 << 63, (1 << 64) - 1], dtype=np.uint64)
    FORMAT.write(path, {"key": keys, "column_scores": np.zeros((4, 8), dtype=np.int8)}, "{}")
    found, _ = FORMAT.read(path)
    assert found["key"].dtype == np.uint64
    assert found["key"].tolist() == keys.tolist()


def test_the_same_bytes_again(tmp_path: Path) -> None:
    digests = []
    for number in range(2):
        there = tmp_path / str(number)
        there.mkdir()
        files = write_dataset(there, *made(recipe()), formats=["parquet"])["files"]
        digests.append([file["sha256"] for file in files])
        assert inspect(there).problems == []
    assert digests[0] == digests[1]


def test_any_wrong_byte_is_an_error_or_a_problem(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, CARD, formats=["parquet"])
    check_wrong_bytes(tmp_path, "parquet", times=100)


def test_every_named_file_is_the_part_that_it_is_called(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, CARD, formats=["npz", "parquet", "jsonl"])
    _, head, _ = (tmp_path / "README.md").read_text().split("---\n", 2)
    told = yaml.safe_load(head)
    (config,) = told["configs"]
    assert config["config_name"] == "default"
    parts = {file["split"]: parquet.read_table(tmp_path / file["path"])
             for file in config["data_files"]}  # fmt: skip
    assert {name: len(table) for name, table in parts.items()} == {
        name: len(records["key"]) for name, records in PARTS.items()
    }
    seen: set[int] = set()
    for name, table in parts.items():
        assert table.column_names == [column["name"] for column in CARD["columns"]]
        assert table.column("best").to_pylist() == PARTS[name]["best"].tolist()
        keys = set(table.column("key").to_pylist())
        assert not keys & seen
        seen |= keys
    assert len(seen) == CARD["positions"]


def test_commands(c4: C4) -> None:
    small = ("dataset", "build", "--board", "5x4", "--count", "60")
    assert c4(*small, "--format", "parquet", "--output", "x").code == 0
    assert c4("dataset", "info", "x").code == 0
    number = sum(
        parquet.read_table(path).num_rows for path in (c4.directory / "x").glob("*.parquet")
    )
    assert number == 60
