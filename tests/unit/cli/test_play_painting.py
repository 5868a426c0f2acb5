"""Where the board of ``c4 play`` lies on the screen, and what it looks like."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from c4core import Position
from c4core.notation import BoardSize
from cli.play.geometry import fit, least
from cli.play.painting import BRIGHT, DIMMED, Look, paint
from tests.support.boards.positions import boards

BOARD = BoardSize(7, 6)


def lines(moves: str, look: Look, *, width: int = 50, height: int = 21) -> list[str]:
    position = Position(moves)
    place = fit(BOARD, width, height, letters=look.letters)
    assert place is not None
    return paint(position, place, look).plain.split("\n")


def test_letters() -> None:
    drawn = lines("445", Look(letters=True, pointer=0, last=(4, 0)), width=21, height=9)
    assert [line.rstrip() for line in drawn] == [
        " o",
        *[" .  .  .  .  .  .  ."] * 4,
        " .  .  .  o  .  .  .",
        " .  .  .  x (x) .  .",
        " 1  2  3  4  5  6  7",
        "",
    ]


def test_a_four_in_letters() -> None:
    drawn = lines("1122334", Look(letters=True, last=(3, 0)), width=21, height=9)
    assert drawn[6].split() == ["[X][X][X][X]", ".", ".", "."]


def test_a_four_in_discs_outshines_the_others() -> None:
    place = fit(BOARD, 50, 21, letters=False)
    assert place is not None
    text = paint(Position("1122334"), place, Look(last=(3, 0)))
    assert text.plain.count("◆xx◆") == 4
    styles = {str(span.style) for span in text.spans}
    assert any(style.startswith(BRIGHT["x"]) for style in styles)
    assert any(style.startswith(DIMMED["o"]) for style in styles)
    assert not any(style.startswith((BRIGHT["o"], DIMMED["x"])) for style in styles)


@pytest.mark.parametrize(("width", "height"), [(50, 21), (40, 15), (28, 9), (21, 9)])
@pytest.mark.parametrize("falling", [None, 3])
@pytest.mark.parametrize("moves", ["4453", "1122334"])
def test_every_disc_says_whose_it_is(
    width: int, height: int, falling: int | None, moves: str
) -> None:
    look = Look(last=(int(moves[-1]) - 1, 0), falling=falling)
    rows = lines(moves, look, width=width, height=height)[1:-2]
    letters = re.sub(r"([xo])\1", r"\1", "".join(rows))
    for side in "xo":
        assert letters.count(side) == str(Position(moves)).count(side)


def test_a_stone_that_falls_is_above_its_place() -> None:
    look = Look(letters=True, last=(3, 1), falling=4)
    drawn = [line.split() for line in lines("44", look, width=21, height=9)]
    assert drawn[2] == [".", ".", ".", "o", ".", ".", "."]
    assert drawn[5] == ["."] * 7
    assert drawn[6] == [".", ".", ".", "x", ".", ".", "."]


def test_scores_stand_below_their_columns_and_the_best_have_a_star() -> None:
    look = Look(letters=True, scores=(-12, None, 0, 3, 3, -1, 0))
    drawn = lines("44", look, width=42)
    columns = [drawn[-2].index(label) for label in "1234567"]
    assert drawn[-1].split() == ["-12", ".", "0", "*+3", "*+3", "-1", "0"]
    for column, score in zip(columns, drawn[-1].split(), strict=True):
        assert abs(drawn[-1].index(score, max(0, column - 3)) - column) <= 2


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
    drawn = paint(position, place, Look(letters=letters, scores=(0,) * board.width))
    rows = drawn.plain.split("\n")
    assert len(rows) <= height
    assert max(map(len, rows)) <= width
    hit = [place.column_at(x) for x in range(width)]
    assert [column for column in hit if column is not None] == sorted(
        list(range(board.width)) * place.cell_width
    )


@pytest.mark.parametrize(("x", "column"), [(3, None), (4, 0), (9, 0), (10, 1), (45, 6), (46, None)])
def test_columns_under_the_mouse(x: int, column: int | None) -> None:
    place = fit(BOARD, 50, 21, letters=False)
    assert place is not None
    assert place.column_at(x) == column
