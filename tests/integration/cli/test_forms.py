"""Every command that takes moves or grids reads them in the same forms."""

import json
from pathlib import Path

import pytest

from c4core.position import Position
from tests.support.forms import ACCEPTED, GRIDS, MOVES, REFUSED
from tests.support.running.command_line import C4

POSITION = Position(MOVES)
TEXTS = [text for text in ACCEPTED if not text.lstrip().startswith(("{", '["'))]
"""Moves; games and starts are not given as JSON objects on the command line."""


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Use the shipped book: its scores take no time."""


def test_solve(c4: C4) -> None:
    found = c4("solve", "--json", "--no-store", *ACCEPTED).objects
    assert [answer["moves"] for answer in found] == [MOVES] * len(ACCEPTED)
    lines = c4("solve", "-", "--no-store", stdin="\n".join(map(str.strip, ACCEPTED))).objects
    assert [answer["moves"] for answer in lines] == [MOVES] * len(ACCEPTED)


def test_solve_grids(c4: C4) -> None:
    grids = [grid for name, grid in GRIDS.items() if grid[0] not in "[{" and "under" not in name]
    for grid in grids:
        (c4.directory / "grid.txt").write_text(grid)
        done = c4("solve", "--json", "--no-store", "--grid", "grid.txt")
        assert [answer["scores"] for answer in done.objects] == [[-5, -5, -2, -3, -4, -2, -2]], grid


def test_analyze_and_query(c4: C4) -> None:
    lines = "\n".join(map(str.strip, ACCEPTED))
    found = c4("analyze", "-", "--board", "7x6", stdin=lines).objects
    assert [answer["moves"] for answer in found] == [MOVES] * len(ACCEPTED)
    assert {row["key"] for row in c4("query", "--jsonl", *TEXTS).objects} == {
        POSITION.canonical_key
    }


def test_review_and_show(c4: C4) -> None:
    found = c4("review", "--jsonl", "--no-store", *TEXTS).objects
    assert [review["moves"] for review in found] == [MOVES] * len(TEXTS)
    assert {c4("show", text).out for text in TEXTS} == {c4("show", MOVES).out}


def test_play_and_starts(c4: C4) -> None:
    wanted = c4("play", "--plain", "--second", "human", "--moves", MOVES, stdin="moves\n").out
    for text in TEXTS:
        played = ("play", "--new", "--plain", "--second", "human", "--moves", text)
        assert c4(*played, stdin="moves\n").out == wanted, text


@pytest.mark.parametrize("command", ["solve", "show", "query"])
def test_refused(c4: C4, command: str) -> None:
    for text, message in REFUSED.items():
        done = c4(command, "--", text)
        assert (done.code, message in done.err) == (2, True), (text, done.err)


def test_games_in_files(c4: C4, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("".join(f"{text.strip()}\n" for text in TEXTS if "\ufeff" not in text))
    found = c4("review", "--jsonl", "--no-store", str(path)).objects
    assert {review["moves"] for review in found} == {MOVES}
    path.write_text(json.dumps({"moves": [4, 4, 5, 3]}) + "\n")
    assert c4("review", "--jsonl", "--no-store", str(path)).objects[0]["moves"] == MOVES
