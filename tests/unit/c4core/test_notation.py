"""Text for boards and moves."""

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.errors import BoardError, MoveError
from c4core.notation import (
    DEFAULT_BOARD,
    BoardSize,
    check_board,
    column_label,
    format_moves,
    parse_board,
    parse_moves,
)
from tests.support.refused import refused


def test_default_board() -> None:
    assert DEFAULT_BOARD == (7, 6)
    assert str(DEFAULT_BOARD) == "7x6"
    assert DEFAULT_BOARD.cells == 42
    assert parse_board(" 7X6 ") == DEFAULT_BOARD


@pytest.mark.parametrize("text", ["", "7", "7x", "x6", "7*6", "7x6x5", "-7x6", "7.0x6", "seven"])
def test_bad_board_texts_are_refused(text: str) -> None:
    with pytest.raises(BoardError, match="not a board size"):
        parse_board(text)


def test_the_error_about_an_impossible_board_names_the_limit(snapshot: SnapshotAssertion) -> None:
    boards = ("13x9", "62x1", "3x41", "1x63", "0x6", "7x0", "100x100")
    assert {text: refused(parse_board, text, error=BoardError) for text in boards} == snapshot


def test_every_size_within_128_bits_40_rows_and_61_columns_is_a_board() -> None:
    for width in range(1, 40):
        for height in range(1, 70):
            if width * (height + 1) <= 128 and height <= 40 and width <= 61:
                assert check_board(width, height) == (width, height)
                assert parse_board(f"{width}x{height}") == BoardSize(width, height)
            else:
                with pytest.raises(BoardError):
                    check_board(width, height)


def test_moves_are_one_based_text_for_zero_based_columns() -> None:
    assert parse_moves("4453") == (3, 3, 4, 2)
    assert format_moves((3, 3, 4, 2)) == "4453"
    assert parse_moves("3342", zero_based=True) == (3, 3, 4, 2)
    assert format_moves((3, 3, 4, 2), zero_based=True) == "3342"


def test_letters_from_the_tenth_column() -> None:
    assert parse_moves("9abBG", width=16) == (8, 9, 10, 10, 15)
    assert format_moves((8, 9, 10, 15)) == "9abg"
    assert parse_moves("w", width=32) == (31,)


@pytest.mark.parametrize(
    ("text", "index", "kind"),
    [
        ("44x", 2, "range"),
        ("44?", 2, "syntax"),
        ("44a", 2, "range"),
        ("4 4", 1, "syntax"),
        ("448", 2, "range"),
        ("0", 0, "range"),
        ("4\u00e9", 1, "syntax"),
        ("\u0664", 0, "syntax"),
        ("4\u212a", 1, "syntax"),  # the Kelvin sign: lower() makes it a k
    ],
)
def test_errors_of_bad_moves_have_index_and_kind(
    text: str, index: int, kind: str, snapshot: SnapshotAssertion
) -> None:
    with pytest.raises(MoveError) as caught:
        parse_moves(text)
    assert (caught.value.index, caught.value.kind) == (index, kind)
    assert str(caught.value) == snapshot


def test_only_ascii_letters_are_columns() -> None:
    assert parse_moves("kK", width=32) == (19, 19)
    with pytest.raises(MoveError, match="is not a column"):
        parse_moves("\u212a", width=32)


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize("columns", [[-1, -2], [0, 61], [70], [-70]])
def test_bad_columns_are_not_written(columns: list[int], zero_based: bool) -> None:  # noqa: FBT001
    wrong, index = next((n, i) for i, n in enumerate(columns) if not 0 <= n < 61)
    with pytest.raises(MoveError, match=f"move {index + 1}: there is no column {wrong}") as caught:
        format_moves(columns, zero_based=zero_based)
    assert (caught.value.kind, caught.value.column) == ("range", wrong)
    assert caught.value.index == index
    with pytest.raises(MoveError, match=f"^there is no column {wrong};") as caught:
        column_label(wrong, zero_based=zero_based)
    assert caught.value.index is None


def test_every_column_round_trips() -> None:
    for zero_based in (False, True):
        text = format_moves(range(61), zero_based=zero_based)
        assert parse_moves(text, width=61, zero_based=zero_based) == tuple(range(61))


def test_capital_letters_are_small_ones_on_boards_without_columns_of_their_own() -> None:
    assert parse_moves("zZ", width=35) == (34, 34)
    assert parse_moves("zZ", width=61) == (34, 60)
    with pytest.raises(MoveError, match="column Z is outside the board"):
        parse_moves("Z", width=34)
