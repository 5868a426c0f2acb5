"""``c4 puzzles``: puzzles of stored games, files and random play, in every format."""

import pytest

from tests.support.boards.finished_games import finished_games
from tests.support.running.command_line import C4
from tests.support.svg import elements

SMALL = ("--board", "5x5")


@pytest.fixture
def played(c4: C4) -> C4:
    """A stored match of 40 games, which are also in ``games.jsonl``."""
    match = ("match", "minimax-windows", "blog-v1", "--games", "40", "--judge", "none", "-q")
    assert c4(*match).code == 0
    assert c4("games", "export", "-q", "-o", "games.jsonl").code == 0
    return c4


def test_stored_games_and_files(played: C4) -> None:
    stored = played("puzzles", "1", "--jsonl").objects
    assert stored
    assert {fields["match"] for fields in stored} == {1}
    assert played("puzzles", "games.jsonl", "--jsonl", "--no-store").objects == stored
    number = stored[0]["number"]
    one = played("puzzles", f"1:{number}", "--jsonl").objects
    assert one == [fields for fields in stored if fields["number"] == number]
    assert played("puzzles", "1", "--count", "1", "--jsonl").objects == stored[:1]
    assert played("puzzles", "2").code == 2


def test_a_bad_line_is_reported(c4: C4) -> None:
    (entry,) = finished_games(1)
    done = c4("puzzles", "-", "--jsonl", "--no-store", stdin=f"12z\n{entry.moves}\n")
    assert (done.code, done.err.startswith("Line 1: ")) == (1, True)


def test_the_boards_are_drawn_without_their_solutions(c4: C4) -> None:
    done = c4("puzzles", *SMALL, "--count", "4", "--jsonl", "--plot", "p.svg")
    drawn = (c4.directory / "p.svg").read_text()
    texts = ["".join(text.itertext()) for text in elements(drawn, "text")]
    sides = {"x": "red", "o": "yellow"}
    for number, fields in enumerate(done.objects, start=1):
        assert f"{number}. {sides[fields['side']]} to move and {fields['keeps']}" in texts
    assert len(elements(drawn, "path")) == 4  # a plate for each board
