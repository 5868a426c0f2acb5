"""Text for boards and moves."""

import pytest

from c4core.errors import BoardError, MoveError
from c4core.notation import (
    DEFAULT_BOARD,
    BoardSize,
    check_board,
    format_moves,
    parse_board,
    parse_moves,
)


def test_default_board() -> None:
    assert DEFAULT_BOARD == (7, 6)
    assert str(DEFAULT_BOARD) == "7x6"
    assert DEFAULT_BOARD.cells == 42


@pytest.mark.parametrize("text", ["7x6", "4x4", "8x7", "16x3", "1x1", "32x1", "3x19", "9x6"])
def test_board_round_trip(text: str) -> None:
    assert str(parse_board(text)) == text


def test_board_accepts_capitals_and_blanks() -> None:
    assert parse_board(" 7X6 ") == BoardSize(7, 6)


@pytest.mark.parametrize("text", ["", "7", "7x", "x6", "7*6", "7x6x5", "-7x6", "7.0x6", "seven"])
def test_text_that_is_no_board(text: str) -> None:
    with pytest.raises(BoardError, match="not a board size"):
        parse_board(text)


@pytest.mark.parametrize("text", ["0x6", "7x0", "8x8", "9x7", "33x1", "2x20", "100x100"])
def test_impossible_boards(text: str) -> None:
    with pytest.raises(BoardError, match="impossible board"):
        parse_board(text)


def test_every_size_within_64_bits_is_a_board() -> None:
    for width in range(4, 17):
        for height in range(4, 17):
            if width * (height + 1) <= 64:
                assert check_board(width, height) == (width, height)
            else:
                with pytest.raises(BoardError):
                    check_board(width, height)


def test_moves_are_one_based_text_for_zero_based_columns() -> None:
    assert parse_moves("4453") == (3, 3, 4, 2)
    assert format_moves((3, 3, 4, 2)) == "4453"


def test_zero_based_text_is_explicit() -> None:
    assert parse_moves("3342", zero_based=True) == (3, 3, 4, 2)
    assert format_moves((3, 3, 4, 2), zero_based=True) == "3342"


def test_letters_from_the_tenth_column_on() -> None:
    assert parse_moves("9abBG", width=16) == (8, 9, 10, 10, 15)
    assert format_moves((8, 9, 10, 15)) == "9abg"
    assert parse_moves("w", width=32) == (31,)


@pytest.mark.parametrize(
    ("text", "index", "kind", "message"),
    [
        ("44x", 2, "syntax", "invalid move at index 2: 'x' is no column"),
        ("44a", 2, "range", "column a is outside the board (columns 1 to 7)"),
        ("4 4", 1, "syntax", "invalid move at index 1: ' ' is no column"),
        ("448", 2, "range", "column 8 is outside the board (columns 1 to 7)"),
        ("0", 0, "range", "column 0 is outside"),
        ("4\u00e9", 1, "syntax", "'\u00e9' is no column"),
        ("\u0664", 0, "syntax", "is no column"),
    ],
)
def test_bad_moves_name_index_and_kind(text: str, index: int, kind: str, message: str) -> None:
    with pytest.raises(MoveError) as caught:
        parse_moves(text)
    assert caught.value.index == index
    assert caught.value.kind == kind
    assert message in str(caught.value)
