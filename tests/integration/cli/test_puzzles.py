"""``c4 puzzles``: puzzles of stored games, files and random play, in every format."""

import csv
import io
import json

import pytest

from c4core.position import Position
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


def test_every_format_has_the_same_puzzles(c4: C4) -> None:
    asked = ("puzzles", *SMALL, "--count", "4", "--seed", "2")
    done = c4(*asked, "--jsonl")
    assert (done.code, done.err) == (0, "")
    found = done.objects
    assert json.loads(c4(*asked, "--json").out) == found
    rows = list(csv.DictReader(io.StringIO(c4(*asked, "--csv").out)))
    assert [list(row) for row in rows] == [list(fields) for fields in found]
    assert [row["key"] for row in rows] == [str(fields["key"]) for fields in found]
    table = c4(*asked).out.splitlines()[1:]
    assert [line.split()[-1] for line in table] == [fields["line"] for fields in found]
    drawn = c4(*asked, "--boards").out
    for fields in found:
        position = Position(fields["moves"], width=5, height=5)
        assert (str(position), position.key) == (fields["grid"], fields["key"])
        assert fields["line"][0] == str(fields["solution"])
        assert f"{fields['line']} ({fields['length']} moves)" in drawn
    assert c4(*asked, "--output", "p.jsonl").out == ""
    assert (c4.directory / "p.jsonl").read_text() == done.out


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


def test_no_puzzle_and_no_time(c4: C4) -> None:
    none = c4("puzzles", "--board", "3x3")
    assert (none.code, none.out, none.err) == (0, "", "Found 0 puzzles.\n")
    assert c4("puzzles", "--time-limit", "0", "--csv").err.startswith("The time limit is reached.")


def test_the_boards_are_drawn_without_their_solutions(c4: C4) -> None:
    done = c4("puzzles", *SMALL, "--count", "4", "--jsonl", "--plot", "p.svg")
    drawn = (c4.directory / "p.svg").read_text()
    texts = ["".join(text.itertext()) for text in elements(drawn, "text")]
    sides = {"x": "red", "o": "yellow"}
    for number, fields in enumerate(done.objects, start=1):
        assert f"{number}. {sides[fields['side']]} to move and {fields['keeps']}" in texts
    assert len(elements(drawn, "path")) == 4  # a plate for each board
