"""Positions in every form that people and programs write."""

import csv
import io
import json
import re
from collections.abc import Callable
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, strategies as st

from c4core.arena.file_formats import read_any_games
from c4core.errors import C4Error, GridError
from c4core.grids import read_grid, split_grids
from c4core.lines import BadLine, parse_classic_line, parse_line, read_csv, read_lines
from c4core.notation import DEFAULT_BOARD, BoardSize
from c4core.position import Position
from tests.support.boards.positions import games
from tests.support.forms import (
    ACCEPTED,
    GRIDS,
    LINE_ENDS,
    MOVES,
    REFUSED,
    REFUSED_GRIDS,
    REFUSED_LINES,
    drawn,
)

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


def test_a_line_of_a_file_has_one_column() -> None:
    for text, message in REFUSED_LINES.items():
        assert parse_line(text, board=DEFAULT_BOARD) == BadLine(1, message, "moves")
        (bad,) = read_any_games(io.BytesIO(text.encode()))
        assert bad.error == message
    assert Position.parse("4 2") == Position.parse("4,2") == Position("42")


@pytest.mark.parametrize("end", LINE_ENDS)
def test_lines_end(end: str) -> None:
    texts = ["4453", "44", '{"moves": "4453"}', "1"]
    found = read_lines(io.BytesIO(end.join(texts).encode()), board=DEFAULT_BOARD)
    assert [(one.line, one.moves) for one in found] == [
        (1, "4453"),
        (2, "44"),
        (3, "4453"),
        (4, "1"),
    ]
    identity = '{"id": "4\\u2028\u20285", "moves": "44"}'
    (request,) = read_lines(io.BytesIO(identity.encode()), board=DEFAULT_BOARD)
    assert request.id == "4\u2028\u20285"


def test_files_of_grids() -> None:
    one_line = "/".join(drawn().split("\n"))
    rows = json.dumps(WANTED.to_array().tolist())
    for text, count in (
        (f"{drawn()}\n\n\n{drawn('-')}\n", 2),
        (f"{one_line}\n{one_line}\n", 2),
        (f"{rows}\n{rows}\n\n{rows}", 3),
    ):
        grids = split_grids(text)
        assert [read_grid(grid) for grid in grids] == [WANTED] * count
    for line in ("o has won", "a draw: the board is full", "x to move, a draw: score 0 for x"):
        assert split_grids(f"A game in four moves\n\n{drawn()}\n\n{line}\n") == [drawn()]
        assert split_grids(line) == [line]


def test_the_size_of_a_grid_is_needed() -> None:
    for text in ("....\n....\n..x.", "[0, 0, 0, 0]"):
        with pytest.raises(GridError, match="give the size of the board"):
            read_grid(text)


def test_a_list_that_can_be_moves_or_squares() -> None:
    with pytest.raises(C4Error, match='give an object with "moves" or "grid"'):
        Position.parse([1, 2, 2, 1], board="2x2")
    assert Position.parse([2, 2, 1, 1], board="2x2").ply == 4


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
        ("12 3", (12, 4), "c3"),
        ("a b", (12, 4), "ab"),
        ("a1 b1", (12, 4), "12"),
        ("A1 B1", (9, 5), "12"),
        ("I1", (9, 5), "9"),
    ):
        assert Position.parse(text, board=board).moves == moves


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
    assert Position.parse(grid, board="3x3") == Position("23", board="3x3")


def test_python_values() -> None:
    rows = [[{".": 0, "x": 1, "o": 2}[square] for square in row] for row in drawn().split("\n")]
    flat = [square for row in rows for square in row]
    for value in ([4, 4, 5, 3], (4, 4, 5, 3), rows, flat, {"moves": MOVES}, {"key": WANTED.key}):
        assert Position.parse(value) == WANTED
    array = WANTED.to_array()
    for value in (array, array.astype(float), np.array([4, 4, 5, 3]), [np.int8(4), 4.0, "5", 3]):
        assert Position.parse(value) == WANTED
    assert Position.parse("") == Position.parse([]) == Position()
    with pytest.raises(C4Error, match="not int"):
        Position.parse(4453)


def test_lines_of_the_classic_solver() -> None:
    for line, moves in (("", ""), ("\r\n", ""), ("4453 -2", "4453"), ("4453 2\r\n", "4453")):
        request = parse_classic_line(line, board=DEFAULT_BOARD)
        assert request.moves == moves


def with_rows(moves: str) -> list[str]:
    return [
        f"{'abcdefghi'[int(label) - 1]}{moves[: index + 1].count(label)}"
        for index, label in enumerate(moves)
    ]


def squares(
    empty: str = ".", first: str = "x", second: str = "o", between: str = ""
) -> Callable[[Position, str], str]:
    signs = {".": empty, "x": first, "o": second}
    return lambda position, _: "\n".join(
        between.join(signs[square] for square in row) for row in str(position).split("\n")
    )


def rows(between: str, start: str, end: str) -> Callable[[Position, str], str]:
    return lambda position, moves: (
        start + squares("0", "1", "2", between)(position, moves).replace("\n", "],[") + end
    )


def named(position: Position, moves: str) -> str:
    return squares()(position, moves) + "\n" + "123456789"[: position.width]


def framed(position: Position, moves: str) -> str:
    lines = squares(" ", between="|")(position, moves).split("\n")
    return "\n".join(f"|{line}|" for line in lines)


MOVE_FORMS: dict[str, Callable[[Position, str], str]] = {
    "characters": lambda _, moves: moves,
    **{f"numbers{by}": lambda _, moves, by=by: by.join(moves) for by in (",", " ", ";", "-", ", ")},
    "squares": lambda _, moves: "".join(with_rows(moves)),
    "squares apart": lambda _, moves: " ".join(with_rows(moves)),
}
GRID_FORMS: dict[str, Callable[[Position, str], str]] = {
    "dots": squares(), "hyphens": squares("-"), "digits": squares("0", "1", "2", " "),
    "minus one": squares("0", "1", "-1", " "), "-1 began": squares("0", "-1", "1", " "),
    "colours": squares(".", "r", "y"), "yellow began": squares(".", "y", "r"),
    "discs": squares("\u26aa", "\U0001f534", "\U0001f7e1"),
    "yellow discs began": squares("\u26aa", "\U0001f7e1", "\U0001f534"),
    "bars": framed, "JSON": rows(",", "[[", "]]"), "names": named,
}  # fmt: skip
SMALL = games(minimum=2).filter(lambda game: 4 <= game[0].width <= 9 and game[0].height >= 4)


def plain(text: str) -> str:
    """The text without what may differ between texts of one form."""
    return re.sub(r"[\s/,;|\[\]()-]", "", re.sub(r"(?<=[0-9])\.0*", "", text.lower()))


@given(SMALL, st.sampled_from(sorted(MOVE_FORMS | GRID_FORMS)))
def test_positions_written_in_any_form_are_read_back(game: tuple[Position, str], form: str) -> None:
    position, moves = game
    text = (MOVE_FORMS | GRID_FORMS)[form](position, moves)
    if "began" in form and position.ply % 2 == 0:
        return  # red and 1 moved first, if both sides have the same number of stones
    read = Position.parse(text, board=position.board)
    assert read == position
    assert form not in MOVE_FORMS or read.moves == moves


@given(SMALL, st.sampled_from(sorted(MOVE_FORMS | GRID_FORMS)), st.data())
def test_a_mutated_text_is_refused_or_is_the_text_of_another_position(
    game: tuple[Position, str], form: str, data: st.DataObject
) -> None:
    position, moves = game
    text = (MOVE_FORMS | GRID_FORMS)[form](position, moves)
    place = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 2))
    put = data.draw(st.text("xo.-_0123|RY \n/,ab\U0001f534\U0001f7e1\u26aa", max_size=2))
    mutated = text[:place] + put + text[place + length :]
    with suppress(C4Error):
        read = Position.parse(mutated, board=position.board)
        printed = [write(read, read.moves or "") for write in GRID_FORMS.values()]
        if read.moves is not None:
            printed += [write(read, read.moves) for write in MOVE_FORMS.values()]
        assert plain(mutated) in map(plain, printed)


def test_tables_of_public_kinds() -> None:
    text = io.StringIO()
    csv.writer(text).writerows([["moves", "score"], ["4", "2"], ["4453", "-2"], ["4 4", "1"]])
    found = read_csv(io.BytesIO(text.getvalue().encode()), board=DEFAULT_BOARD)
    assert [request.moves for request in found] == ["4", "4453", "44"]


@given(
    st.text(max_size=100)
    | st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists),
    st.sampled_from([DEFAULT_BOARD, BoardSize(12, 4), BoardSize(1, 1)]),
)
def test_any_value_is_read_or_refused(value: object, board: BoardSize) -> None:
    with suppress(C4Error):
        assert Position.parse(value, board=board).board == board


def test_names_of_more_than_nine_columns() -> None:
    rows = [
        *[" ".join("." * 12)] * 3,
        " ".join("x........o.."),
        "1  2  3  4  5  6  7  8  9  a  b  c",
    ]
    assert read_grid("\n".join(rows)) == Position("1a", board="12x4")
