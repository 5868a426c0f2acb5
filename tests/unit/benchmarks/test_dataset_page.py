"""The page about data sets: its columns, its rule and its figures are the program's."""

import json
import re

from benchmarks.datasets.results import FIGURES, PAGE, page_lines
from c4core.dataset.card.page import card_page
from c4core.dataset.records import COLUMNS
from tests.support.boards.datasets import made, recipe

TEXT = PAGE.read_text(encoding="utf-8")


def test_every_column_is_explained() -> None:
    for column in COLUMNS:
        assert re.search(
            rf"^\| `{column.name}` \| \w+ {re.escape(column.shape)} \|", TEXT, re.MULTILINE
        )


def test_figures_are_those_that_were_kept() -> None:
    table = "\n".join(page_lines(json.loads(FIGURES.read_text(encoding="utf-8"))))
    assert f"<!-- begin times -->\n\n{table}\n\n<!-- end times -->" in TEXT


def test_card_for_people() -> None:
    _, card = made(recipe(count=50))
    page = card_page(card | {"files": []})
    for name, part in card["splits"].items():
        assert f"| {name} | {part['positions']} | {part['win']} (" in page
    rows = re.findall(r"^\| (\d+) \| (\d+) \|", page, re.MULTILINE)
    assert sum(int(number) for _ply, number in rows) == 50
    assert f"| duplicates dropped | {card['duplicates']} |" in page
    assert card["command"] in page
