"""The line protocol as a table."""

import csv
import io
import json
import tracemalloc

import pytest

from c4core.lines import MAX_LINES, BadLine, HeadingError, Request, read_csv
from c4core.notation import DEFAULT_BOARD, MAX_HEIGHT, BoardSize
from c4core.position import Position


def read(text: str | bytes, **options: bool) -> list[Request | BadLine]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_csv(io.BytesIO(data), board=DEFAULT_BOARD, **options))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_row_is_a_position(separator: str, end: str) -> None:
    rows = [["id", "moves", "comment"], ["a", "4453", "good, or not"], ["b", "44", ""]]
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    assert read(text.getvalue()) == [
        Request(2, Position("4453"), "4453", "a"),
        Request(3, Position("44"), "44", "b"),
    ]


def test_columns_have_any_order_and_case_and_a_byte_order_mark() -> None:
    assert read(b"\xef\xbb\xbf Moves ,ID\n4,7\n") == [Request(2, Position("4"), "4", "7")]
    assert read('"moves";"id"\n4;7\n') == [Request(2, Position("4"), "4", "7")]


def test_grids_and_keys() -> None:
    position = Position("4453")
    grid = str(position)
    assert read(f'grid\n"{grid}"\n{"/".join(grid.splitlines())}\n') == [
        Request(7, position),
        Request(8, position),
    ]
    assert read(f"key,moves,grid\n{position.key},,\n") == [Request(2, position)]


def test_the_first_of_moves_key_and_grid_that_is_filled_counts() -> None:
    key = Position("4453").key
    (row,) = read(f"grid,key,moves\nnonsense,{key},44\n")
    assert row == Request(2, Position("44"), "44")


def test_the_empty_board_is_written_as_no_moves() -> None:
    assert read("id,moves\n1,-\n") == [Request(2, Position(), "", "1")]


@pytest.mark.parametrize("heading", ["id,moves", "id,key", "id,grid,moves,key"])
def test_an_empty_cell_is_a_mistake(heading: str) -> None:
    (row,) = read(f"{heading}\n1,\n")
    assert row == BadLine(2, row.error, "line", "1")
    assert "no position" in row.error


def test_columns_count_from_0_where_asked() -> None:
    assert read("moves\n3342\n", zero_based=True) == [Request(2, Position("4453"), "3342")]


@pytest.mark.parametrize(
    ("row", "field", "told"),
    [
        ("9", "moves", "9"),
        ("4,8x7", "board", "8x7"),
        ("4,7x6,extra", "line", "3 cells"),
        ("", "line", "empty"),
        ("x" * 200_000, "line", "longer"),
        ("\udcff", "line", "UTF-8"),
    ],
)
def test_a_bad_row_is_named_and_the_rest_is_read(row: str, field: str, told: str) -> None:
    data = f"moves,board\n4,\n{row}\n44,7x6\n".encode(errors="surrogateescape")
    first, bad, last = read(data)
    assert first == Request(2, Position("4"), "4")
    assert isinstance(bad, BadLine)
    assert (bad.line, bad.field) == (3, field)
    assert told in bad.error
    assert last == Request(4, Position("44"), "44")


def test_a_quote_that_is_never_closed_takes_no_memory() -> None:
    text = 'moves\n4\n"' + "44\n" * 5_000 + '"\n4\n'
    first, bad, *rest = read(text)
    assert first == Request(2, Position("4"), "4")
    assert isinstance(bad, BadLine)
    assert "more than 100 lines" in bad.error
    assert bad.line == MAX_LINES + 2
    assert rest[-1] == Request(5_004, Position("4"), "4")


def test_quotes_that_are_closed_and_opened_again_take_no_memory() -> None:
    """A row of any length, no cell of which is long."""
    length = 60_000
    text = 'moves\n4\n"' + ("a" * length + '\n","') * 400 + "\n4\n"
    data = text.encode()
    tracemalloc.start()
    first, bad, *_, last = read(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert first == Request(2, Position("4"), "4")
    assert isinstance(bad, BadLine)
    assert (bad.line, "more than 100 lines" in bad.error) == (102, True)
    assert last == Request(404, Position("4"), "4")
    assert peak < 2.5 * MAX_LINES * length


def test_the_highest_grid_is_a_row() -> None:
    board = BoardSize(1, MAX_HEIGHT)
    grid = str(Position(width=board.width, height=board.height))
    (row,) = read_csv(io.BytesIO(f'grid\n"{grid}"\n'.encode()), board=board)
    assert row == Request(MAX_HEIGHT + 1, Position(width=1, height=MAX_HEIGHT))


def test_a_bad_line_spoils_no_row_but_its_own() -> None:
    """Here the row of the line that is no text is none of a table either."""
    bad, good = read(b'moves\n"4\n\xff\n"\r5\n44\n')
    assert isinstance(bad, BadLine)
    assert "not a row of a table" in bad.error
    assert good == Request(5, Position("44"), "44")


@pytest.mark.parametrize(
    ("heading", "told"),
    [
        ("4453", "'4453'"),
        ("id,score", "'score'"),
        ("moves,moves", "moves"),
        ("x" * 70_000, "line"),
        ("", "it has no columns"),
        ("moves\rkey", "line 1: not a row of a table: new-line"),
    ],
)
def test_a_heading_that_names_no_position(heading: str, told: str) -> None:
    with pytest.raises(HeadingError, match=told):
        read(f"{heading}\n4\n")


def test_nothing_is_no_row() -> None:
    assert read("") == read("moves\n") == []


def test_the_board_is_the_readers() -> None:
    (row,) = read_csv(io.BytesIO(b"moves\n9\n"), board=BoardSize(9, 6))
    assert isinstance(row, Request)
    assert json.dumps(row.moves) == '"9"'
