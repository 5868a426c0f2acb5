"""The card of a data set as a page: its head for programs, its text for people."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from c4core.dataset.card import SAMPLING
from c4core.dataset.card_reading import check_license
from c4core.dataset.lots import CHOICES
from c4core.dataset.writing import card_page, head_lines, write_dataset
from tests.support.boards.datasets import made, recipe
from workers.dataset.order import SOURCES

PARTS, CARD = made(recipe())


def head(directory: Path) -> dict[str, Any]:
    _, text, _ = (directory / "README.md").read_text().split("---\n", 2)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


def test_json_lines_are_named_where_there_is_no_parquet(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, CARD, formats=["jsonl"])
    (config,) = head(tmp_path)["configs"]
    assert [file["path"] for file in config["data_files"]] == [
        "train.jsonl", "validation.jsonl", "test.jsonl",
    ]  # fmt: skip


def test_no_file_that_others_load(tmp_path: Path) -> None:
    write_dataset(tmp_path, PARTS, CARD, formats=["npz"])
    told = head(tmp_path)
    assert "configs" not in told
    assert told["license"] == "cc0-1.0"
    assert told["pretty_name"] == "Connect Four: 200 positions of 5x4, with exact scores"
    assert told["size_categories"] == ["n<1K"]


@pytest.mark.parametrize(
    ("positions", "size"),
    [(999, "n<1K"), (1_000, "1K<n<10K"), (5_000_000, "1M<n<10M"), (10**8, "100M<n<1B")],
)
def test_sizes(positions: int, size: str) -> None:
    lines = list(head_lines(CARD | {"positions": positions, "files": []}))
    assert f"- {size}" in lines


def test_a_datasheet_has_its_chapters() -> None:
    page = card_page(CARD | {"files": []})
    for title in (
        "How the positions were drawn", "Parts", "Balance", "Columns", "Limitations", "Citation",
    ):  # fmt: skip
        assert f"\n## {title}\n" in page
    for column in CARD["columns"]:
        assert f"| `{column['name']}` | {column['dtype']} |" in page
        assert f"| {column['unit']} |" in page
    assert f"note = {{c4 {CARD['c4_version']}" in page
    for trait in ("win_in_one", "forced_block", "quiet", "decisive"):
        number = sum(part[trait] for part in CARD["splits"].values())
        assert f"{number} ({100 * number / CARD['positions']:.1f} %)" in page


def test_the_page_has_the_counts_of_the_card() -> None:
    _, card = made(recipe(count=50))
    text = card_page(card | {"files": []})
    for name, part in card["splits"].items():
        assert f"| {name} | {part['positions']} | {part['win']} (" in text
    rows = re.findall(r"^\| (\d+) \| (\d+) \|", text, re.MULTILINE)
    assert sum(int(number) for _ply, number in rows) == 50
    assert f"| duplicates dropped | {card['duplicates']} |" in text
    assert card["command"] in text


def test_every_source_and_choice_has_its_sentences() -> None:
    assert set(SAMPLING) == set(SOURCES)
    for choice in CHOICES:
        _, card = made(recipe(neighbours=choice, count=50))
        assert "eighbours" in card_page(card | {"files": []})


@pytest.mark.parametrize("identifier", ["", "a b", "x\ny", "é", "-x", "x" * 80])
def test_licenses_that_are_none(identifier: str) -> None:
    with pytest.raises(ValueError, match="no identifier of a license"):
        check_license(identifier)
