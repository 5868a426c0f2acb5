"""``c4 review``: a game in full, and a time limit; dialogues.txt has the rest."""

from collections.abc import Callable

import pytest

from tests.support.boards.games import LIVELY
from tests.support.running.command_line import C4
from tests.support.svg import elements


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Use the shipped book, as users do: openings are known at once."""


def test_a_game_with_its_turning_points(c4: C4, dialogue: Callable[..., None]) -> None:
    dialogue(c4, f"review {LIVELY} --plot review.svg", f"review {LIVELY} --jsonl")
    drawn = (c4.directory / "review.svg").read_text()
    texts = ["".join(text.itertext()) for text in elements(drawn, "text")]
    assert "11. red, column 1: +1 to -2" in texts
    assert texts.count("??") == 8  # on the curve and on the boards
    assert len(elements(drawn, "path")) == 4  # a plate for each turning point


def test_a_time_limit_leaves_moves_open(c4: C4) -> None:
    done = c4("review", "--board", "8x7", "4" * 7, "--time-limit", "0", "--jsonl", "--no-store")
    (review,) = done.objects
    assert (done.code, review["complete"]) == (0, False)
    assert "?" not in c4("review", "--board", "8x7", "44", "--time-limit", "0").out
