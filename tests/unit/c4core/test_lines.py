"""Reading the line protocol, and the same requests as a table, line by line."""

import csv
import io
import json
import tracemalloc
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.lines import (
    MAX_LINE,
    MAX_LINES,
    MAX_NESTED,
    BadLine,
    HeadingError,
    Request,
    is_too_deep,
    parse_line,
    read_csv,
    read_json,
    read_lines,
)
from c4core.notation import DEFAULT_BOARD, MAX_HEIGHT, BoardSize
from c4core.position import Position
from tests.support.refused import own_words


def parse(text: str, **options: object) -> Request | BadLine:
    return parse_line(text, board=DEFAULT_BOARD, **options)


def read(data: bytes) -> list[Request | BadLine]:
    return list(read_lines(io.BytesIO(data), board=DEFAULT_BOARD))


@pytest.mark.parametrize("text", ["4453", "  4453\t", "4453\r\n", "4453\n"])
def test_bare_moves_are_a_position(text: str) -> None:
    assert parse(text, line=9) == Request(9, Position("4453"), "4453")


def test_zero_based_moves_are_kept_as_written() -> None:
    assert parse("3342", zero_based=True) == Request(1, Position("4453"), "3342")
    assert parse('{"moves": "0"}', zero_based=True) == Request(1, Position("1"), "0")


def test_letters_name_columns_from_the_tenth() -> None:
    board = BoardSize(12, 4)
    assert parse_line("9aC", board=board) == Request(
        1, Position.from_columns([8, 9, 11], width=12, height=4), "9aC"
    )


@pytest.mark.parametrize("quote", [int, str])
def test_an_object_may_hold_a_key(quote: type) -> None:
    position = Position("1122")
    assert parse(json.dumps({"key": quote(position.key)})) == Request(1, position)


def test_the_empty_board_is_written_as_an_object() -> None:
    assert parse('{"moves": ""}') == Request(1, Position(), "")


def test_unknown_fields_are_ignored() -> None:
    assert parse('{"moves": "4", "comment": [1], "board": "7x6"}') == Request(1, Position("4"), "4")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "line"),
        ("  \t", "line"),
        ("44x", "moves"),
        ("448", "moves"),
        ("4444444", "moves"),
        ("4\0", "moves"),
        ("12121212", "moves"),
        ("[9]", "moves"),
        ("[[0], [1]]", "grid"),
        pytest.param("[" * 50_000, "line", id="brackets"),
        ("{", "line"),
        ('{"moves": "4"} x', "line"),
        ('{"id": NaN, "moves": "4"}', "line"),
        ('{"id": 1e999, "moves": "4"}', "line"),
        pytest.param('{"key": ' + "1" * 5000 + "}", "line", id="long number"),
        pytest.param('{"id": ' + "[" * 50_000, "line", id="deep"),
        ("{}", "line"),
        ('{"moves": "4", "key": 5}', "key"),
        ('{"moves": 4453}', "moves"),
        ('{"moves": null}', "moves"),
        ('{"grid": ["..", ".."]}', "grid"),
        ('{"grid": "....\\n....\\n....\\n...."}', "grid"),
        ('{"grid": "x"}', "grid"),
        ('{"grid": ""}', "grid"),
        ('{"key": 5}', "key"),
        ('{"key": -1}', "key"),
        ('{"key": "-1"}', "key"),
        ('{"key": 1.0}', "key"),
        ('{"key": true}', "key"),
        pytest.param('{"key": "' + "1" * 5000 + '"}', "key", id="long text"),
        ('{"moves": "4", "board": "8x7"}', "board"),
        ('{"moves": "4", "board": "big"}', "board"),
        ('{"moves": "4", "board": 7}', "board"),
    ],
)
def test_a_bad_line_has_a_message(text: str, field: str, snapshot: SnapshotAssertion) -> None:
    answer = parse(text, line=3)
    assert isinstance(answer, BadLine)
    assert (answer.line, answer.field) == (3, field)
    assert own_words(answer.error) == snapshot


LISTS, OBJECTS = ("[", "]", "[]"), ('{"a":', "}", "{}")


def nested(depth: int, kind: tuple[str, str, str]) -> str:
    """Lists or objects nested to a depth."""
    begin, end, innermost = kind
    return begin * (depth - 1) + innermost + end * (depth - 1)


@pytest.mark.parametrize("kind", [LISTS, OBJECTS])
@pytest.mark.parametrize("name", ["id", "comment"])
def test_deeply_nested_values_make_a_bad_line(name: str, kind: tuple[str, str, str]) -> None:
    """Otherwise it would be stored, and could not be read again with less stack left."""
    text = '{"%s": %s, "moves": "4"}'
    for depth in (MAX_NESTED, 200, 900):
        answer = parse(text % (name, nested(depth, kind)), line=3)
        assert answer == BadLine(3, "nested more than 100 deep")
    deepest = text % (name, nested(MAX_NESTED - 1, kind))  # the object itself adds one
    answer = parse(deepest)
    assert isinstance(answer, Request)
    assert json.dumps(answer.id) == json.dumps(json.loads(deepest).get("id"))


def test_depth_is_checked_without_recursion() -> None:
    value: list[Any] = []
    for _ in range(20_000):
        value = [1, value, {}]
    assert is_too_deep(value)
    assert not is_too_deep([[1], {"a": [2]}] * 1000)
    assert not is_too_deep("[" * 1000)
    while value:  # dismantle it iteratively, too
        value = value[1]


def test_a_bad_object_keeps_its_id() -> None:
    answer = parse('{"id": ["x"], "moves": "9"}')
    assert isinstance(answer, BadLine)
    assert answer.id == ["x"]


def test_undecodable_bytes_make_a_bad_line() -> None:
    bad, good = read(b"44\xff\n44\n")
    assert bad == BadLine(1, "line is not text: byte 2 is not UTF-8")
    assert isinstance(good, Request)


def test_a_byte_order_mark_is_skipped() -> None:
    first, second = read(b"\xef\xbb\xbf44\n\xef\xbb\xbf44\n")
    assert first == Request(1, Position("44"), "44")
    assert second == Request(2, Position("44"), "44")


class Endless(io.RawIOBase):
    """A line of a given length, generated while it is read, then one good line."""

    def __init__(self, length: int) -> None:
        self._left = length
        self._rest = io.BytesIO(b"\n4453\n")
        self.largest = 0

    def readline(self, limit: int | None = -1, /) -> bytes:
        assert limit is not None
        assert 0 < limit <= MAX_LINE
        if not self._left:
            return self._rest.readline(limit)
        length = min(limit, self._left)
        self._left -= length
        return b"4" * length


@pytest.mark.parametrize("length", [MAX_LINE, MAX_LINE * 3, MAX_LINE * 1000 + 17])
def test_an_overlong_line_is_skipped_in_pieces(length: int) -> None:
    bad, good = read_lines(Endless(length), board=DEFAULT_BOARD)
    assert bad == BadLine(1, f"line is longer than {MAX_LINE} bytes")
    assert good == Request(2, Position("4453"), "4453")


def test_a_line_of_maximal_length_is_read() -> None:
    line = b'{"moves": "44", "pad": "' + b"x" * (MAX_LINE - 27) + b'"}\n'
    assert len(line) == MAX_LINE
    assert read(line) == [Request(1, Position("44"), "44")]


def test_an_unterminated_overlong_line_is_one_bad_line() -> None:
    assert [type(answer) for answer in read(b"4" * (3 * MAX_LINE))] == [BadLine]


def read_table(text: str | bytes, **options: bool) -> list[Request | BadLine]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_csv(io.BytesIO(data), board=DEFAULT_BOARD, **options))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_row_is_a_position(separator: str, end: str) -> None:
    rows = [["id", "moves", "comment"], ["a", "4453", "good, or not"], ["b", "44", ""]]
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    assert read_table(text.getvalue()) == [
        Request(2, Position("4453"), "4453", "a"),
        Request(3, Position("44"), "44", "b"),
    ]


def test_columns_have_any_order_and_case_and_a_byte_order_mark() -> None:
    assert read_table(b"\xef\xbb\xbf Moves ,ID\n4,7\n") == [Request(2, Position("4"), "4", "7")]
    assert read_table('"moves";"id"\n4;7\n') == [Request(2, Position("4"), "4", "7")]


def test_grids_and_keys() -> None:
    position = Position("4453")
    grid = str(position)
    assert read_table(f'grid\n"{grid}"\n{"/".join(grid.splitlines())}\n') == [
        Request(7, position),
        Request(8, position),
    ]
    assert read_table(f"key,moves,grid\n{position.key},,\n") == [Request(2, position)]


def test_the_first_filled_cell_of_moves_key_and_grid_counts() -> None:
    key = Position("4453").key
    (row,) = read_table(f"grid,key,moves\nnonsense,{key},44\n")
    assert row == Request(2, Position("44"), "44")


def test_the_empty_board_is_written_as_no_moves() -> None:
    assert read_table("id,moves\n1,-\n") == [Request(2, Position(), "", "1")]


@pytest.mark.parametrize("heading", ["id,moves", "id,key", "id,grid,moves,key"])
def test_an_empty_row_is_an_error(heading: str) -> None:
    (row,) = read_table(f"{heading}\n1,\n")
    assert row == BadLine(2, row.error, "line", "1")
    assert "no position" in row.error


def test_columns_may_count_from_0() -> None:
    assert read_table("moves\n3342\n", zero_based=True) == [Request(2, Position("4453"), "3342")]


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
def test_a_bad_row_is_reported_and_the_rest_is_read(row: str, field: str, told: str) -> None:
    data = f"moves,board\n4,\n{row}\n44,7x6\n".encode(errors="surrogateescape")
    first, bad, last = read_table(data)
    assert first == Request(2, Position("4"), "4")
    assert isinstance(bad, BadLine)
    assert (bad.line, bad.field) == (3, field)
    assert told in bad.error
    assert last == Request(4, Position("44"), "44")


def test_an_unclosed_quote_takes_little_memory() -> None:
    text = 'moves\n4\n"' + "44\n" * 5_000 + '"\n4\n'
    first, bad, *rest = read_table(text)
    assert first == Request(2, Position("4"), "4")
    assert isinstance(bad, BadLine)
    assert "more than 100 lines" in bad.error
    assert bad.line == MAX_LINES + 2
    assert rest[-1] == Request(5_004, Position("4"), "4")


def test_reopened_quotes_take_little_memory() -> None:
    """A row of any length without a long cell."""
    length = 60_000
    text = 'moves\n4\n"' + ("a" * length + '\n","') * 400 + "\n4\n"
    data = text.encode()
    tracemalloc.start()
    first, bad, *_, last = read_table(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert first == Request(2, Position("4"), "4")
    assert isinstance(bad, BadLine)
    assert (bad.line, "more than 100 lines" in bad.error) == (102, True)
    assert last == Request(404, Position("4"), "4")
    assert peak < 2.5 * MAX_LINES * length


def test_the_highest_grid_is_read() -> None:
    board = BoardSize(1, MAX_HEIGHT)
    grid = str(Position(width=board.width, height=board.height))
    (row,) = read_csv(io.BytesIO(f'grid\n"{grid}"\n'.encode()), board=board)
    assert row == Request(MAX_HEIGHT + 1, Position(width=1, height=MAX_HEIGHT))


def test_a_bad_line_affects_only_its_own_row() -> None:
    """The row of the undecodable line is not a row of a table either."""
    bad, good = read_table(b'moves\n"4\n\xff\n"\r5\n44\n')
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
def test_a_heading_without_a_position_is_refused(heading: str, told: str) -> None:
    with pytest.raises(HeadingError, match=told):
        read_table(f"{heading}\n4\n")


def test_empty_tables_have_no_rows() -> None:
    assert read_table("") == read_table("moves\n") == []


def test_the_reader_sets_the_board() -> None:
    (row,) = read_csv(io.BytesIO(b"moves\n9\n"), board=BoardSize(9, 6))
    assert isinstance(row, Request)
    assert json.dumps(row.moves) == '"9"'


def test_all_json_values_are_read() -> None:
    text = '{"a": [1, -2.5e3, true, null, "\\u0416"], "b": {"a": {}}}'
    value = {"a": [1, -2500.0, True, None, "Ж"], "b": {"a": {}}}
    assert read_json(f" {text}\n") == value
    assert read_json(f"\ufeff{text}".encode()) == value  # as some editors write it


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a": 1, "b": 2, "a": 1}', "an object has the field 'a' twice"),
        ('[{"x": {"a": 1, "\\u0061": 2}}]', "an object has the field 'a' twice"),
        ('{"%s": 1, "%s": 2}' % (("a" * 1000,) * 2), r"an object has the field 'a+\.\.\.a+' twice"),
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("-1e999", "-1e999 is out of range"),
        ("9" * 10_000, "Exceeds the limit"),
        ('{"a": 1} x', "Extra data"),
        (b'"\xff"', "can't decode"),
        (b"", "Expecting value"),
    ],
)
def test_bad_json_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_json(text)


def test_extremely_nested_text_is_refused() -> None:
    with pytest.raises(RecursionError):
        read_json("[" * 100_000)
