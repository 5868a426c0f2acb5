"""``c4 show``: a position on the terminal and as a picture, and an animated game."""

from tests.support.running.command_line import C4
from tests.support.svg import elements

GRID = "....\n....\no...\nx.x.\n"


def test_a_picture(c4: C4) -> None:
    command = ("show", "--board", "4x4", "121314", "--scores", "--threats")
    done = c4(*command, "-o", "a.svg", "-o", "b.svg")
    assert (done.code, done.out, done.err) == (0, "", "a.svg\nb.svg\n")
    drawn = (c4.directory / "a.svg").read_text()
    assert drawn == (c4.directory / "b.svg").read_text()
    texts = ["".join(text.itertext()) for text in elements(drawn, "text")]
    assert texts[:4] == ["1", "2", "3", "4"]
    assert len(texts) == 8  # including the scores
    assert "moves 121314" in elements(drawn, "svg")[0].attrib["aria-label"]


def test_a_grid(c4: C4) -> None:
    (c4.directory / "grid.txt").write_text(GRID)
    assert c4("show", "--grid", "grid.txt").out.count("x") == 2 + 0
    (c4.directory / "two.txt").write_text(f"{GRID}\n{GRID}")
    assert "several grids" in c4("show", "--grid", "two.txt").err


def test_what_show_prints_can_be_read(c4: C4) -> None:
    for moves in ("", "4453", "4151617", "44444423232311"):
        for options in ((), ("--scores", "--threats", "--no-store")):
            shown = c4("show", moves, *options).out
            (c4.directory / "shown.txt").write_text(shown)
            assert c4("show", "--grid", "shown.txt", *options).out == shown


def test_an_animated_game(c4: C4) -> None:
    assert c4("show", "121314", "--game", "-o", "game.svg", "-q").code == 0
    drawn = (c4.directory / "game.svg").read_text()
    assert len(elements(drawn, "animateTransform")) == 6


def test_an_endless_file_of_grids_is_refused(c4: C4) -> None:
    done = c4("show", "--grid", "/dev/zero")
    assert (done.code, "/dev/zero: longer than 16,777,216 characters" in done.err) == (2, True)
