import pytest
from syrupy.assertion import SnapshotAssertion

from cli.output.formats import Column, Format, write_rows

ROWS = [
    {"moves": "4453", "score": -2, "scores": [-5, None, 0], "known": True},
    {"moves": 'a "quoted", text', "score": None, "scores": None, "known": False},
]
COLUMNS = [
    Column("moves", 6, lambda row: row["moves"]),
    Column("score", 5, lambda row: str(row["score"]), right=True, style=lambda _row: "red"),
]


@pytest.mark.parametrize("name", ["table", "json", "jsonl", "csv"])
def test_rows(
    name: Format, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    assert write_rows(iter(ROWS), name, COLUMNS) == 2
    assert capsys.readouterr().out == snapshot


@pytest.mark.parametrize(("name", "nothing"), [("table", ""), ("json", "[]\n"), ("jsonl", "")])
def test_no_rows(name: Format, nothing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert write_rows(iter([]), name, COLUMNS) == 0
    assert capsys.readouterr().out == nothing


def test_a_csv_row_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert write_rows(iter([{"grid": "...\n.xo", "note": ""}]), "csv", ()) == 1
    assert capsys.readouterr().out == "grid,note\n.../.xo,\n"
