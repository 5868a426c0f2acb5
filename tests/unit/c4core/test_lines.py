"""Reading the line protocol, and the same requests as a table, line by line."""

import csv
import io
import json
import tracemalloc
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core import lines
from c4core.lines import BadLine, Request
from c4core.notation import DEFAULT_BOARD, MAX_HEIGHT, BoardSize
from c4core.position import Position
from tests.support.refused import own_words


def parse(text: str, **options: object) -> Request | BadLine:
    return lines.parse_line(text, board=DEFAULT_BOARD, **options)


def read(data: bytes) -> list[Request | BadLine]:
    return list(lines.read_lines(io.BytesIO(data), board=DEFAULT_BOARD))


def test_a_line_is_a_position() -> None:
    for text in ("4453", "  4453\t", "4453\r\n", "4453\n"):
        assert parse(text, line=9) == Request(9, Position("4453"), "4453")
    assert parse("3342", zero_based=True) == Request(1, Position("4453"), "3342")
    assert parse('{"moves": "0"}', zero_based=True) == Request(1, Position("1"), "0")
    wide = Position.from_columns([8, 9, 11], board="12x4")
    assert lines.parse_line("9aC", board=BoardSize(12, 4)) == Request(1, wide, "9aC")
    key = Position("1122").key
    assert (
        parse(f'{{"key": {key}}}') == parse(f'{{"key": "{key}"}}') == Request(1, Position("1122"))
    )
    assert parse('{"moves": ""}') == Request(1, Position(), "")
    # Unknown fields are ignored.
    assert parse('{"moves": "4", "comment": [1], "board": "7x6"}') == Request(1, Position("4"), "4")


BAD_LINES = [
    "", "  \t", "44x", "448", "4444444", "4\0", "12121212", "[9]", "[[0], [1]]", "[" * 50_000, "{",
    '{"moves": "4"} x', '{"id": NaN, "moves": "4"}', '{"id": 1e999, "moves": "4"}',
    '{"key": ' + "1" * 5000 + "}", '{"id": ' + "[" * 50_000, "{}", '{"moves": "4", "key": 5}',
    '{"moves": 4453}', '{"moves": null}', '{"grid": ["..", ".."]}',
    '{"grid": "....\\n....\\n....\\n...."}', '{"grid": "x"}', '{"grid": ""}', '{"key": 5}',
    '{"key": -1}', '{"key": "-1"}', '{"key": 1.0}', '{"key": true}',
    '{"key": "' + "1" * 5000 + '"}',
    '{"moves": "4", "board": "8x7"}', '{"moves": "4", "board": "big"}',
    '{"moves": "4", "board": 7}',
]  # fmt: skip


def test_bad_lines_have_messages(snapshot: SnapshotAssertion) -> None:
    found = {}
    for text in BAD_LINES:
        answer = parse(text, line=3)
        assert answer.line == 3
        found[text[:40]] = f"{answer.field}: {own_words(answer.error)}"
    assert found == snapshot
    answer = parse('{"id": ["x"], "moves": "9"}')
    assert isinstance(answer, BadLine)
    assert answer.id == ["x"]


def test_deeply_nested_values_make_a_bad_line() -> None:
    """Otherwise it would be stored, and could not be read again with less stack left."""
    for begin, innermost, end in (("[", "[]", "]"), ('{"a":', "{}", "}")):
        for name in ("id", "comment"):
            # The object itself and the innermost value add one each.
            deepest, *deeper = (
                f'{{"{name}": {begin * depth}{innermost}{end * depth}, "moves": "4"}}'
                for depth in (lines.MAX_NESTED - 2, lines.MAX_NESTED - 1, 199, 899)
            )
            for text in deeper:
                assert parse(text, line=3) == BadLine(3, "nested more than 100 deep")
            answer = parse(deepest)
            assert isinstance(answer, Request)
            assert json.dumps(answer.id) == json.dumps(json.loads(deepest).get("id"))


def test_a_byte_order_mark_is_skipped_and_undecodable_bytes_are_not() -> None:
    good, another, bad = read(b"\xef\xbb\xbf44\n\xef\xbb\xbf44\n44\xff\n")
    assert good == Request(1, Position("44"), "44")
    assert another == Request(2, Position("44"), "44")
    assert bad == BadLine(3, "line is not text: byte 2 is not UTF-8")


class Endless(io.RawIOBase):
    """A line of a given length, generated while it is read, then one good line."""

    def __init__(self, length: int) -> None:
        self._left = length
        self._rest = io.BytesIO(b"\n4453\n")

    def readline(self, limit: int | None = -1, /) -> bytes:
        assert 0 < limit <= lines.MAX_LINE
        if not self._left:
            return self._rest.readline(limit)
        length = min(limit, self._left)
        self._left -= length
        return b"4" * length


@pytest.mark.parametrize("length", [lines.MAX_LINE, lines.MAX_LINE * 3, lines.MAX_LINE * 1000 + 17])
def test_an_overlong_line_is_skipped_in_pieces(length: int) -> None:
    bad, good = lines.read_lines(Endless(length), board=DEFAULT_BOARD)
    assert bad == BadLine(1, f"line is longer than {lines.MAX_LINE} bytes")
    assert good == Request(2, Position("4453"), "4453")


def test_lines_of_maximal_length() -> None:
    line = b'{"moves": "44", "pad": "' + b"x" * (lines.MAX_LINE - 27) + b'"}\n'
    assert len(line) == lines.MAX_LINE
    assert read(line) == [Request(1, Position("44"), "44")]
    assert [type(answer) for answer in read(b"4" * (3 * lines.MAX_LINE))] == [BadLine]


def read_table(text: str | bytes, **options: bool) -> list[Request | BadLine]:
    data = text.encode() if isinstance(text, str) else text
    return list(lines.read_csv(io.BytesIO(data), board=DEFAULT_BOARD, **options))


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_row_is_a_position(separator: str, end: str) -> None:
    rows = [["id", "moves", "comment"], ["a", "4453", "good, or not"], ["b", "44", ""]]
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(rows)
    first, second = Request(2, Position("4453"), "4453", "a"), Request(3, Position("44"), "44", "b")
    assert read_table(text.getvalue()) == [first, second]


def test_columns_have_any_order_and_case_and_a_byte_order_mark() -> None:
    assert read_table(b"\xef\xbb\xbf Moves ,ID\n4,7\n") == [Request(2, Position("4"), "4", "7")]
    assert read_table('"moves";"id"\n4;7\n') == [Request(2, Position("4"), "4", "7")]
    assert read_table("id,moves\n1,-\n") == [Request(2, Position(), "", "1")]
    assert read_table("moves\n3342\n", zero_based=True) == [Request(2, Position("4453"), "3342")]


def test_the_first_filled_cell_of_moves_key_and_grid_counts() -> None:
    position = Position("4453")
    grid, key = str(position), position.key
    assert read_table(f'grid\n"{grid}"\n{"/".join(grid.splitlines())}\n') == [
        Request(7, position),
        Request(8, position),
    ]
    assert read_table(f"key,moves,grid\n{key},,\n") == [Request(2, position)]
    assert read_table(f"grid,key,moves\nnonsense,{key},44\n") == [Request(2, Position("44"), "44")]
    for heading in ("id,moves", "id,key", "id,grid,moves,key"):
        (row,) = read_table(f"{heading}\n1,\n")
        assert row == BadLine(2, row.error, "line", "1")
        assert "no position" in row.error


def test_a_bad_row_is_reported_and_the_rest_is_read() -> None:
    for row, field, told in (
        ("9", "moves", "9"),
        ("4,8x7", "board", "8x7"),
        ("4,7x6,extra", "line", "3 cells"),
        ("", "line", "empty"),
        ("x" * 200_000, "line", "longer"),
        ("\udcff", "line", "UTF-8"),
    ):
        data = f"moves,board\n4,\n{row}\n44,7x6\n".encode(errors="surrogateescape")
        first, bad, last = read_table(data)
        assert (first, last) == (Request(2, Position("4"), "4"), Request(4, Position("44"), "44"))
        assert (bad.line, bad.field) == (3, field)
        assert told in bad.error


def test_an_unclosed_quote_takes_little_memory() -> None:
    text = 'moves\n4\n"' + "44\n" * 5_000 + '"\n4\n'
    first, bad, *rest = read_table(text)
    assert first == Request(2, Position("4"), "4")
    assert "more than 100 lines" in bad.error
    assert bad.line == lines.MAX_LINES + 2
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
    assert (bad.line, "more than 100 lines" in bad.error) == (102, True)
    assert last == Request(404, Position("4"), "4")
    assert peak < 2.5 * lines.MAX_LINES * length


def test_the_reader_sets_the_board() -> None:
    grid = str(Position(board=(1, MAX_HEIGHT)))
    (row,) = lines.read_csv(
        io.BytesIO(f'grid\n"{grid}"\n'.encode()), board=BoardSize(1, MAX_HEIGHT)
    )
    assert row == Request(MAX_HEIGHT + 1, Position(board=(1, MAX_HEIGHT)))
    (row,) = lines.read_csv(io.BytesIO(b"moves\n9\n"), board=BoardSize(9, 6))
    assert row == Request(2, Position("9", board="9x6"), "9")


def test_a_bad_line_affects_only_its_own_row() -> None:
    bad, five, good = read_table(b'moves\n"4\n\xff\n"\r5\n44\n')
    assert "not UTF-8" in bad.error
    assert five == Request(5, Position("5"), "5")
    assert good == Request(6, Position("44"), "44")


def test_a_heading_without_a_position_is_refused() -> None:
    for heading, told in (
        ("4453", "'4453'"),
        ("id,score", "'score'"),
        ("moves,moves", "moves"),
        ("x" * 70_000, "line"),
        ("", "it has no columns"),
    ):
        with pytest.raises(lines.HeadingError, match=told):
            read_table(f"{heading}\n4\n")
    assert read_table("") == read_table("moves\n") == []


def test_bad_json_is_refused() -> None:
    digits = "9" * 10_000
    for text in (
        '{"moves": NaN}',
        '{"key": 1e999}',
        '{"moves": "4"} x',
        f'{{"moves": "4", "id": {digits}}}',
        '{"id":' * 100_000,
    ):
        bad = parse(text)
        assert isinstance(bad, BadLine)
        assert bad.error.startswith("not a JSON object: ")


def test_a_line_without_an_end_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "_MOST_SKIPPED", 2 * lines.MAX_LINE)
    with Path("/dev/zero").open("rb") as stream:
        (bad,) = lines.read_text_lines(stream)
    assert bad == (1, BadLine(1, f"line is longer than {lines.MAX_LINE} bytes"))
