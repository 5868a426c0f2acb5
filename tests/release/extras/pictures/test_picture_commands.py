"""Raster pictures drawn by commands."""

import PIL  # noqa: F401 (draws them)

from tests.support.running.command_line import C4


def test_show(c4: C4) -> None:
    assert c4("show", "1213", "-o", "a.png", "-o", "a.gif", "-q").code == 0
    assert c4("show", "1213", "--game", "-o", "game.gif", "-q").code == 0
    assert (c4.directory / "a.png").read_bytes().startswith(b"\x89PNG")
    for name in ("a.gif", "game.gif"):
        assert (c4.directory / name).read_bytes().startswith(b"GIF89a")


def test_review(c4: C4) -> None:
    assert c4("review", "--board", "4x4", "1213", "--plot", "a.png").code == 0
    assert (c4.directory / "a.png").read_bytes().startswith(b"\x89PNG")
