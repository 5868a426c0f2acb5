"""The place of the board of ``c4 play`` on the screen, and its look."""

import re

import pytest
from hypothesis import given, strategies as st
from syrupy.assertion import SnapshotAssertion

from c4core import Position
from c4core.evaluation import exact_bounds
from c4core.notation import BoardSize
from cli.commands.play.board import BRIGHT, DIMMED, Look, fit, least, paint
from tests.support.boards.positions import boards

BOARD = BoardSize(7, 6)


def lines(moves: str, look: Look, *, width: int = 50, height: int = 21) -> list[str]:
    place = fit(BOARD, width, height, letters=look.letters)
    assert place is not None
    return paint(Position(moves), place, look).plain.split("\n")


SCORES = exact_bounds((-12, None, 0, 3, 3, -1, 0))


@pytest.mark.parametrize(
    ("moves", "look"),
    [
        pytest.param("445", Look(letters=True, pointer=0, last=(4, 0)), id="letters"),
        pytest.param("1122334", Look(letters=True, last=(3, 0)), id="a four"),
        pytest.param("44", Look(letters=True, last=(3, 1), falling=4), id="a falling stone"),
        pytest.param("44", Look(letters=True, bounds=SCORES), id="scores"),
    ],
)
def test_a_board_in_letters(moves: str, look: Look, snapshot: SnapshotAssertion) -> None:
    assert "\n".join(lines(moves, look, width=42, height=9)) == snapshot


def test_a_four_is_brighter_than_the_other_discs() -> None:
    place = fit(BOARD, 50, 21, letters=False)
    assert place is not None
    text = paint(Position("1122334"), place, Look(last=(3, 0)))
    assert text.plain.count("◆xx◆") == 4
    styles = {str(span.style) for span in text.spans}
    assert any(style.startswith(BRIGHT["x"]) for style in styles)
    assert any(style.startswith(DIMMED["o"]) for style in styles)
    assert not any(style.startswith((BRIGHT["o"], DIMMED["x"])) for style in styles)


@pytest.mark.parametrize(("width", "height"), [(50, 21), (40, 15), (21, 9)])
@pytest.mark.parametrize("falling", [None, 3])
@pytest.mark.parametrize("moves", ["4453", "1122334"])
def test_every_disc_shows_its_side(
    width: int, height: int, falling: int | None, moves: str
) -> None:
    look = Look(last=(int(moves[-1]) - 1, 0), falling=falling)
    rows = lines(moves, look, width=width, height=height)[1:-2]
    letters = re.sub(r"([xo])\1", r"\1", "".join(rows))
    for side in "xo":
        assert letters.count(side) == str(Position(moves)).count(side)


@given(
    size=boards(minimum=4),
    width=st.integers(0, 200),
    height=st.integers(0, 60),
    letters=st.booleans(),
)
def test_a_board_fits_or_is_not_drawn(
    size: tuple[int, int], width: int, height: int, *, letters: bool
) -> None:
    board = BoardSize(*size)
    place = fit(board, width, height, letters=letters)
    needed = least(board)
    assert (place is None) == (width < needed[0] or height < needed[1])
    if place is None:
        return
    position = Position(width=board.width, height=board.height)
    drawn = paint(position, place, Look(letters=letters, bounds=((0, 0),) * board.width))
    rows = drawn.plain.split("\n")
    assert len(rows) <= height
    assert max(map(len, rows)) <= width
    hit = [place.column_at(x) for x in range(width)]
    assert [column for column in hit if column is not None] == sorted(
        list(range(board.width)) * place.cell_width
    )


@pytest.mark.parametrize(("x", "column"), [(3, None), (4, 0), (9, 0), (10, 1), (45, 6), (46, None)])
def test_the_column_under_the_mouse_is_found(x: int, column: int | None) -> None:
    place = fit(BOARD, 50, 21, letters=False)
    assert place is not None
    assert place.column_at(x) == column
