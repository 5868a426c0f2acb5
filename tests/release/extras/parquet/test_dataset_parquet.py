"""Data sets in Parquet files: writing, reading, and refusing damaged ones."""

from pathlib import Path

import yaml
from pyarrow import parquet

from c4core.dataset.writing import write_dataset
from tests.support.boards.datasets import check_there_and_back, check_wrong_bytes, made, recipe
from tests.support.running.command_line import C4

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
