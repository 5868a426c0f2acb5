"""Text for boards and moves."""

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import notation
from c4core.errors import BoardError, MoveError
from tests.support.refused import refused


def test_texts_of_boards() -> None:
    assert (notation.DEFAULT_BOARD, str(notation.DEFAULT_BOARD), notation.DEFAULT_BOARD.cells) == (
        (7, 6),
        "7x6",
        42,
    )
    assert notation.parse_board(" 7X6 ") == notation.DEFAULT_BOARD
    for text in ("", "7", "7x", "x6", "7*6", "7x6x5", "-7x6", "7.0x6", "seven"):
        with pytest.raises(BoardError, match="not a board size"):
            notation.parse_board(text)


def test_the_error_about_an_impossible_board_names_the_limit(snapshot: SnapshotAssertion) -> None:
    boards = ("13x9", "62x1", "3x41", "1x63", "0x6", "7x0", "100x100")
    assert {
        text: refused(notation.parse_board, text, error=BoardError) for text in boards
    } == snapshot


def test_every_size_within_128_bits_40_rows_and_61_columns_is_a_board() -> None:
    for width in range(1, 40):
        for height in range(1, 70):
            if width * (height + 1) <= 128 and height <= 40 and width <= 61:
                assert notation.check_board(width, height) == (width, height)
                assert notation.parse_board(f"{width}x{height}") == notation.BoardSize(
                    width, height
                )
            else:
                with pytest.raises(BoardError):
                    notation.check_board(width, height)


def test_moves_are_text_for_zero_based_columns() -> None:
    assert (
        notation.parse_moves("4453")
        == notation.parse_moves("3342", zero_based=True)
        == (3, 3, 4, 2)
    )
    assert notation.parse_moves("9abBG", width=16) == (8, 9, 10, 10, 15)
    for zero_based in (False, True):
        text = notation.format_moves(range(61), zero_based=zero_based)
        assert notation.parse_moves(text, width=61, zero_based=zero_based) == tuple(range(61))
        assert text.startswith("012" if zero_based else "123")
    assert notation.format_moves((8, 9, 10, 15)) == "9abg"


def test_capital_letters_are_small_ones_on_boards_without_columns_of_their_own() -> None:
    assert notation.parse_moves("zZ", width=35) == (34, 34)
    assert notation.parse_moves("zZ", width=61) == (34, 60)
    with pytest.raises(MoveError, match="column Z is outside the board"):
        notation.parse_moves("Z", width=34)
    assert notation.parse_moves("kK", width=32) == (19, 19)
    with pytest.raises(MoveError, match="is not a column"):
        notation.parse_moves("\u212a", width=32)


def test_errors_of_bad_moves_have_index_and_kind(snapshot: SnapshotAssertion) -> None:
    found = {}
    # The last one is the Kelvin sign: lower() makes it a k.
    for text in ("44x", "44?", "44a", "4 4", "448", "0", "4\u00e9", "\u0664", "4\u212a"):
        with pytest.raises(MoveError) as caught:
            notation.parse_moves(text)
        found[text] = (caught.value.index, caught.value.kind, str(caught.value))
    assert found == snapshot


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize("columns", [[-1, -2], [0, 61], [70], [-70]])
def test_bad_columns_are_not_written(columns: list[int], zero_based: bool) -> None:  # noqa: FBT001
    wrong, index = next((n, i) for i, n in enumerate(columns) if not 0 <= n < 61)
    with pytest.raises(MoveError, match=f"move {index + 1}: there is no column {wrong}") as caught:
        notation.format_moves(columns, zero_based=zero_based)
    assert (caught.value.kind, caught.value.column) == ("range", wrong)
    assert caught.value.index == index
    with pytest.raises(MoveError, match=f"^there is no column {wrong};") as caught:
        notation.column_label(wrong, zero_based=zero_based)
    assert caught.value.index is None
