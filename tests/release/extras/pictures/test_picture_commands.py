"""PNG and GIF pictures drawn by commands."""

import resvg_py  # noqa: F401 (draws them)

from tests.support.running.command_line import C4

PNG, GIF = b"\x89PNG", b"GIF89a"


def test_show_and_review(c4: C4) -> None:
    assert c4("show", "1213", "-o", "a.png", "-o", "a.gif", "-q").code == 0
    assert c4("show", "1213", "--game", "-o", "game.gif", "-q").code == 0
    assert c4("review", "--board", "4x4", "1213", "--plot", "review.png").code == 0
    for name, begin in (("a.png", PNG), ("a.gif", GIF), ("game.gif", GIF), ("review.png", PNG)):
        assert (c4.directory / name).read_bytes().startswith(begin)
