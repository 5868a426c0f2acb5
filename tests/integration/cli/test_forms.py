"""Every command that takes moves or grids reads them in the same forms."""

import json
from pathlib import Path

import pytest

from c4core.position import Position
from tests.support.forms import (
    ACCEPTED,
    GRIDS,
    MOVES,
    REFUSED,
    REFUSED_GRIDS,
    REFUSED_LINES,
)
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
    grids = [
        grid
        for name, grid in GRIDS.items()
        if grid[0] != "{" and name not in {"numbers under the board", "squares in a list", "texts"}
    ]
    for grid in grids:
        (c4.directory / "grid.txt").write_text(grid)
        done = c4("solve", "--json", "--no-store", "--grid", "grid.txt")
        assert [answer["scores"] for answer in done.objects] == [[-5, -5, -2, -3, -4, -2, -2]], grid


def test_refused_grids(c4: C4) -> None:
    for grid, message in REFUSED_GRIDS.items():
        (c4.directory / "grid.txt").write_text(grid)
        done = c4("solve", "--no-store", "--board", "7x6", "--grid", "grid.txt")
        assert (done.code, message in done.err) == (2, True), (grid, done.err)


def test_the_size_of_grids(c4: C4) -> None:
    (c4.directory / "grid.txt").write_text("/".join(["......"] * 7))
    done = c4("solve", "--no-store", "--board", "7x6", "--grid", "grid.txt")
    assert (done.code, "grid 1: the grid is 6x7, the board is 7x6" in done.err) == (2, True)
    assert c4("show", "--board", "6\u00d77", "--grid", "grid.txt").code == 0
    assert "6 columns x 7 rows" in c4("solve", "--no-store", "--board", "6x7", "1" * 7).out
    (c4.directory / "grid.txt").write_text("...\n...\n.x.")
    done = c4("show", "--grid", "grid.txt")
    assert "the grid is only 3x3: give the size of the board with --board WxH" in done.err
    assert c4("show", "--board", "3x3", "--grid", "grid.txt").code == 0


def test_lines_with_a_second_column(c4: C4) -> None:
    texts = {**REFUSED_LINES, "4453 2": "'4453' and '2' are two groups", "44x": "column x"}
    for command in (("solve", "-"), ("analyze", "-")):
        found = c4(*command, stdin="\n".join(texts)).objects
        for answer, message in zip(found, texts.values(), strict=True):
            assert message in answer["error"]
    scored = "4453 2\r4453\n44\t-1\n"
    found = c4("analyze", "-", "--input-format", "c4solver", stdin=scored).objects
    assert [answer["moves"] for answer in found] == ["4453", "4453", "44"]
    done = c4("solve", "-", "--format", "c4solver", stdin=scored)
    assert done.out.splitlines()[:2] == ["4453 -2", "4453 -2"]


@pytest.mark.parametrize("command", ["solve", "show", "query"])
def test_refused(c4: C4, command: str) -> None:
    for text, message in REFUSED.items():
        done = c4(command, "--", text)
        assert (done.code, message in done.err) == (2, True), (text, done.err)


def test_names_of_files(c4: C4) -> None:
    for name, message in (
        ("4.4.5.3", "'4.4.5.3' was read as moves: move 1: '4.4.5.3' is not a column; no file has"),
        ("4/4/5/3", "'4/4/5/3' was read as moves: move 1"),
        ("4455 1", "'4455' and '1' are two groups of moves"),
        ("games/first.txt", "No such file"),
        ("./4453", "No such file"),
    ):
        assert message in c4("review", "--no-store", name).err


def test_games_in_files(c4: C4, tmp_path: Path) -> None:
    path = tmp_path / "games.txt"
    path.write_text("".join(f"{text.strip()}\n" for text in TEXTS if "\ufeff" not in text))
    found = c4("review", "--jsonl", "--no-store", str(path)).objects
    assert {review["moves"] for review in found} == {MOVES}
    path.write_text(json.dumps({"moves": [4, 4, 5, 3]}) + "\n")
    assert c4("review", "--jsonl", "--no-store", str(path)).objects[0]["moves"] == MOVES
