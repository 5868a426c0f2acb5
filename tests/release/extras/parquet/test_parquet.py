"""Data sets and the output of commands in Parquet files."""

from pathlib import Path
from typing import Any

import yaml
from pyarrow import parquet

from c4core.dataset.writing import write_dataset
from tests.support.boards.datasets import made, recipe
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4

PARTS, CARD = made(recipe())


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
    odd = '{"id": "\\ud800", "moves": "' + EASY + '"}'  # half of a surrogate pair
    assert c4("analyze", "-o", "odd.parquet", "-", stdin=odd).code == 1
    assert "surrogate" in rows_of(c4, "odd.parquet")[0]["error"]
    job = c4("analyze", "--detach", "-q", "-", stdin=lines).out.strip()
    assert c4("jobs", "resume", job, "--output", "again.parquet").code == 1
    assert len(rows_of(c4, "again.parquet")) == len(rows)
