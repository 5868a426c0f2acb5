import csv
import io
import json

import pytest

from cli.output.formats import Column, write_rows

ROWS = [
    {"moves": "4453", "score": -2, "scores": [-5, None, 0], "known": True},
    {"moves": 'a "quoted", text', "score": None, "scores": None, "known": False},
]
COLUMNS = [
    Column("moves", 6, lambda row: row["moves"]),
    Column("score", 5, lambda row: str(row["score"]), right=True, style=lambda _row: "red"),
]


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_rows(iter(ROWS), "table", COLUMNS) == 2
    heading, first, second = capsys.readouterr().out.splitlines()
    assert heading == "moves   score"
    assert first == "4453       -2"
    assert second.split("  ") == ['a "quoted", text', " None"]


def test_json_array(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_rows(iter(ROWS), "json", COLUMNS) == 2
    assert json.loads(capsys.readouterr().out) == ROWS


def test_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_rows(iter(ROWS), "jsonl", COLUMNS) == 2
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == ROWS


def test_csv(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_rows(iter(ROWS), "csv", COLUMNS) == 2
    first, second = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert first == {"moves": "4453", "score": "-2", "scores": "-5 - 0", "known": "true"}
    assert second == {"moves": ROWS[1]["moves"], "score": "", "scores": "", "known": "false"}


@pytest.mark.parametrize(("name", "nothing"), [("table", ""), ("json", "[]\n"), ("jsonl", "")])
def test_no_rows(name: str, nothing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert write_rows(iter([]), name, COLUMNS) == 0  # type: ignore[arg-type]  # parametrized
    assert capsys.readouterr().out == nothing


def test_a_csv_row_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_rows(iter([{"grid": "...\n.xo", "note": ""}]), "csv", ()) == 1
    assert capsys.readouterr().out == "grid,note\n.../.xo,\n"
