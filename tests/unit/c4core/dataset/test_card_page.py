"""The card of a data set as a page for people."""

import re

from c4core.dataset.card.page import card_page
from tests.support.boards.datasets import made, recipe


def test_card_for_people() -> None:
    _, card = made(recipe(count=50))
    text = card_page(card | {"files": []})
    for name, part in card["splits"].items():
        assert f"| {name} | {part['positions']} | {part['win']} (" in text
    rows = re.findall(r"^\| (\d+) \| (\d+) \|", text, re.MULTILINE)
    assert sum(int(number) for _ply, number in rows) == 50
    assert f"| duplicates dropped | {card['duplicates']} |" in text
    assert card["command"] in text
