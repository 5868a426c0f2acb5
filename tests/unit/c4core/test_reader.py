"""Positions in every form that people and programs write."""

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from c4core.errors import C4Error, GridError, MoveError
from c4core.lines import parse_classic_line, parse_line
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from tests.support.boards.positions import games
from tests.support.forms import ACCEPTED, GRIDS, MOVES, REFUSED, REFUSED_GRIDS, drawn

WANTED = Position(MOVES)


def test_moves_and_grids_are_read() -> None:
    for text in ACCEPTED:
        assert Position.parse(text).moves == MOVES
        request = parse_line(text, board=DEFAULT_BOARD, line=3)
        assert (request.position, request.line) == (WANTED, 3)
        assert request.moves in {MOVES, text.strip()}
    for grid in GRIDS.values():
        assert Position.parse(grid) == WANTED


def test_other_texts_and_grids_are_refused() -> None:
    for text, message in REFUSED.items():
        with pytest.raises(C4Error) as caught:
            Position.parse(text)
        assert str(caught.value) == message
        bad = parse_line(text, board=DEFAULT_BOARD)
        assert bad.error == message
    for grid, message in REFUSED_GRIDS.items():
        with pytest.raises(GridError) as caught:
            Position.parse(grid)
        assert message in str(caught.value)


def test_wide_boards() -> None:
    for text, board, moves in (
        ("1,10,12", (12, 4), "1ac"),
        ("11,3", (12, 4), "b3"),
        ("10 11", (12, 4), "ab"),
        ("1 2 3", (12, 4), "123"),
        ("abc", (12, 4), "abc"),
        ("1a", (12, 4), "1a"),
        ("c", (12, 4), "c"),
        ("l1", (12, 4), "c"),
        ("A1 B1", (9, 5), "12"),
        ("I1", (9, 5), "9"),
    ):
        assert Position.parse(text, width=board[0], height=board[1]).moves == moves
    for text, first, second in (
        ("12 3", "numbers of columns (c3)", "columns of one character each (123)"),
        ("a1 b1", "columns of one character each (a1b1)", "squares (12)"),
    ):
        with pytest.raises(MoveError) as caught:
            Position.parse(text, width=12, height=4)
        assert caught.value.kind == "ambiguous"
        assert first in str(caught.value)
        assert second in str(caught.value)


def test_columns_from_zero() -> None:
    for value in ("3342", "3,3,4,2", [3, 3, 4, 2], "[3, 3, 4, 2]", "d1 d2 e1 c1"):
        assert Position.parse(value, zero_based=True) == WANTED
    request = parse_line("3,3,4,2", board=DEFAULT_BOARD, zero_based=True)
    assert request.moves == "3342"


def test_special_grids() -> None:
    """Yellow may have begun, and a row of three digits is not a row of names."""
    yellow_first = drawn(".", "Y", "R").replace("...R...", ".......")
    assert Position.parse(yellow_first).turn == "o"
    assert Position.parse(drawn(".", "R", "Y")).turn == "x"
    grid = "000\n000\n012"
    assert Position.parse(grid, width=3, height=3) == Position("23", width=3, height=3)


def test_python_values() -> None:
    rows = [[{".": 0, "x": 1, "o": 2}[square] for square in row] for row in drawn().split("\n")]
    flat = [square for row in rows for square in row]
    for value in ([4, 4, 5, 3], (4, 4, 5, 3), rows, flat, {"moves": MOVES}, {"key": WANTED.key}):
        assert Position.parse(value) == WANTED
    assert Position.parse("") == Position.parse([]) == Position()
    with pytest.raises(C4Error, match="not int"):
        Position.parse(4453)


def test_lines_of_the_classic_solver() -> None:
    for line, moves in (("", ""), ("\r\n", ""), ("4453 -2", "4453"), ("4453 2\r\n", "4453")):
        request = parse_classic_line(line, board=DEFAULT_BOARD)
        assert request.moves == moves


SMALL = games(minimum=2).filter(lambda game: game[0].width <= 9)


@given(
    SMALL, st.sampled_from(["", ",", " ", ", ", ";", "-"]), st.sampled_from(["digits", "squares"])
)
def test_moves_written_in_any_way_are_read_back(
    game: tuple[Position, str], separator: str, form: str
) -> None:
    position, moves = game
    heights: dict[str, int] = {}
    words = []
    for label in moves:
        heights[label] = heights.get(label, 0) + 1
        letter = chr(ord("a") + int(label) - 1)
        words.append(f"{letter}{heights[label]}" if form == "squares" else label)
    read = Position.parse(separator.join(words), width=position.width, height=position.height)
    assert read.moves == moves


@given(SMALL, st.sampled_from(["dots", "digits", "bars", "letters", "rows"]))
def test_grids_drawn_in_any_way_are_read_back(game: tuple[Position, str], way: str) -> None:
    position, _ = game
    squares = [list(row) for row in str(position).split("\n")]
    digits = {".": 0, "x": 1, "o": 2}
    value: object = {
        "dots": str(position),
        "digits": "\n".join(" ".join(str(digits[s]) for s in row) for row in squares),
        "bars": "\n".join(f"|{'|'.join(s.replace('.', ' ') for s in row)}|" for row in squares),
        "letters": str(position).replace("x", "R").replace("o", "Y"),
        "rows": [[digits[s] for s in row] for row in squares],
    }[way]
    assert Position.parse(value, width=position.width, height=position.height) == position


@given(
    st.text(max_size=100)
    | st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists),
    st.sampled_from([DEFAULT_BOARD, BoardSize(12, 4), BoardSize(1, 1)]),
)
def test_any_value_is_read_or_refused(value: object, board: BoardSize) -> None:
    with suppress(C4Error):
        assert Position.parse(value, width=board.width, height=board.height).board == board
