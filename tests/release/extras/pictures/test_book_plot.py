"""``c4 book plot``: matplotlib draws a book."""

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.support.boards.small_books import opening_book
from tests.support.refusals import refused
from tests.support.running.command_line import C4


@pytest.fixture
def c4(c4: C4) -> C4:
    """A directory with a book of 5x4 to ply 6, ``b.c4book``."""
    opening_book(c4.directory / "b.c4book", width=5, height=4, last=6)
    return c4


def test_svg_and_png(c4: C4) -> None:
    done = c4("book", "plot", "b.c4book", "--depth", "3")
    assert done.code == 0
    svg = (c4.directory / "b.svg").read_bytes()
    assert svg.startswith(b"<?xml")
    assert (c4.directory / "b.png").read_bytes().startswith(b"\x89PNG")
    assert c4("book", "plot", "b.c4book", "--depth", "3", "-o", "again.svg").code == 0
    assert (c4.directory / "again.svg").read_bytes() == svg


def test_bad_arguments(c4: C4, snapshot: SnapshotAssertion) -> None:
    assert {
        words: refused(c4, f"book plot b.c4book {words}")
        for words in ("--depth 7", "-o x.txt", "-o no/x.png")
    } == snapshot
