"""Moves and grids on the command line; tests/unit/c4core/test_reader.py tests all forms."""

import pytest

from tests.support.forms import ACCEPTED, MOVES, REFUSED_LINES
from tests.support.running.command_line import C4


@pytest.fixture(autouse=True)
def no_shipped_book() -> None:
    """Use the shipped book: its scores take no time."""


def test_solve(c4: C4) -> None:
    found = c4("solve", "--json", "--no-store", *ACCEPTED).objects
    assert [answer["moves"] for answer in found] == [MOVES] * len(ACCEPTED)
    lines = c4("solve", "-", "--no-store", stdin="\n".join(map(str.strip, ACCEPTED))).objects
    assert [answer["moves"] for answer in lines] == [MOVES] * len(ACCEPTED)


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


def test_names_of_files(c4: C4) -> None:
    for name, message in (
        ("4.4.5.3", "'4.4.5.3' was read as moves: move 1: '4.4.5.3' is not a column; no file has"),
        ("4/4/5/3", "'4/4/5/3' was read as moves: move 1"),
        ("4455 1", "'4455' and '1' are two groups of moves"),
        ("games/first.txt", "No such file"),
        ("./4453", "No such file"),
    ):
        assert message in c4("review", "--no-store", name).err
