import csv
import io
import json
import re

import pytest

from c4core.position import Position
from cli.commands.analyze import SAMPLE
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4


def write_positions(c4: C4, *lines: str) -> str:
    path = c4.directory / "positions.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_answers_are_stored_and_found_the_next_time(c4: C4) -> None:
    path = write_positions(c4, EASY, EASY + "6", EASY + "7")
    first = c4("analyze", path)
    assert first.code == 0
    assert [found["source"] for found in first.objects] == ["search"] * 3
    assert first.objects[0]["scores"] == [None, None, None, None, None, -1, -2]
    assert re.match(r"job 1 done: 3 positions in ", first.err)
    second = c4("analyze", path)
    assert [found["source"] for found in second.objects] == ["db"] * 3
    assert "3 known before" in second.err


def test_score_only_and_standard_input(c4: C4) -> None:
    done = c4("analyze", "--score-only", "-", stdin=json.dumps({"id": "a", "moves": EASY}))
    (found,) = done.objects
    assert (found["id"], found["score"]) == ("a", -1)
    assert "scores" not in found


def test_bad_lines_keep_their_places(c4: C4) -> None:
    done = c4("analyze", write_positions(c4, EASY, "9", "", EASY + "6", '{"id": 4}'))
    assert done.code == 1
    assert ["error" in found for found in done.objects] == [False, True, True, False, True]
    assert [found.get("line") for found in done.objects] == [None, 2, 3, None, 5]
    assert "3 lines without an answer" in done.err


# tests/release/long tests a million lines and the memory they take.
def test_ten_bad_lines_among_many(c4: C4) -> None:
    number = 5000
    bad = set(range(7, number, number // 10))
    lines = (f"{EASY}\n" if index not in bad else "8\n" for index in range(number))
    (c4.directory / "many").write_text("".join(lines))
    assert c4("analyze", "many", "--output", "out").code == 1
    with (c4.directory / "out").open() as results:
        is_error = ['"error"' in line for line in results]
    assert len(is_error) == number
    assert {index for index, found in enumerate(is_error) if found} == bad


def test_output_file_is_complete(c4: C4) -> None:
    done = c4("analyze", write_positions(c4, EASY), "--output", "out.jsonl")
    assert (done.code, done.out) == (0, "")
    assert json.loads((c4.directory / "out.jsonl").read_text())["score"] == -1


def test_detached_job_is_resumed(c4: C4) -> None:
    done = c4("analyze", "--detach", "--label", "later", write_positions(c4, EASY, EASY + "6"))
    assert (done.code, done.out) == (0, "1\n")
    (job,) = json.loads(c4("jobs", "list", "--json").out)
    assert (job["state"], job["positions"], job["done"]) == ("waiting", 2, 0)
    assert job["label"] == "later"
    resumed = c4("jobs", "resume", "1", "--output", "-")
    assert resumed.code == 0
    assert [found["score"] for found in resumed.objects] == [-1, 1]
    assert c4("jobs", "results", "1").out == resumed.out


def test_quiet(c4: C4) -> None:
    assert c4("analyze", "-q", write_positions(c4, EASY)).err == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is empty"), (bytes(range(256)) * 4, "is binary"), ("44\n".encode("utf-16"), "UTF-16")],
)
def test_files_of_another_kind_are_refused(c4: C4, content: bytes, message: str) -> None:
    (c4.directory / "input").write_bytes(content)
    for done in (c4("analyze", "input"), c4("analyze", "-", stdin=content)):
        assert done.code == 2
        assert done.out == ""
        assert message in done.err
    assert c4("jobs", "list", "--jsonl").out == ""


def test_the_sample_is_included_and_sorted() -> None:
    lines = SAMPLE.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 300
    lengths = [len(line) for line in lines]
    assert lengths == sorted(lengths)
    assert set(lengths) == set(range(6, 42))


TABLE = f"name;Moves;id\nx;{EASY};a\ny;99;b\nz;{EASY}6;c\n"


def test_a_table_is_read_by_its_name_or_an_option(c4: C4) -> None:
    moves = {"a": EASY, "b": "99", "c": EASY + "6"}
    wanted = [{"id": name, "moves": text} for name, text in moves.items()]
    lines = "\n".join(map(json.dumps, wanted))
    c4("analyze", "-q", "-", stdin=lines)
    expected = [row | {"line": 0} for row in c4("analyze", "-", stdin=lines).objects]
    (c4.directory / "t.CSV").write_text(TABLE)
    for done in (
        c4("analyze", "t.CSV"),
        c4("analyze", "--input-format", "csv", "-", stdin=TABLE),
    ):
        assert done.code == 1
        assert [row | {"line": 0} for row in done.objects] == expected
        assert done.objects[1]["line"] == 3


def test_a_table_without_positions_is_refused(c4: C4) -> None:
    done = c4("analyze", "--input-format", "csv", "-", stdin="id,score\n1,2\n")
    assert done.code == 2
    assert "no column moves, grid or key" in done.err
    assert c4("jobs", "list", "--state", "running", "--json").out == "[]\n"


def test_a_table_is_written_by_its_name_or_an_option(c4: C4) -> None:
    key = Position("1122", width=4, height=4).key
    lines = f'1213\n99\n{{"id": [1], "moves": ""}}\n{{"key": {key}}}\n'
    analyze = ("analyze", "--board", "4x4")
    c4(*analyze, "-q", "-", stdin=lines)
    objects = c4(*analyze, "-", stdin=lines).objects
    out = c4(*analyze, "--format", "csv", "-", stdin=lines).out
    assert c4(*analyze, "-o", "r.csv", "-", stdin=lines).code == 1
    assert (c4.directory / "r.csv").read_text() == out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["error"] for row in rows] == [row.get("error", "") for row in objects]
    assert [
        fields | {"seconds": 0}
        for fields in json.loads(c4(*analyze, "--json", "-", stdin=lines).out)
        if "error" not in fields
    ] == [fields | {"seconds": 0} for fields in objects if "error" not in fields]
    first, _, third, _ = rows
    assert first["scores"] == " ".join(map(str, objects[0]["scores"]))
    assert first["lower"] == first["upper"] == first["score"]
    assert (third["moves"], third["id"]) == ("-", "[1]")
    again = c4(*analyze, "r.csv").objects
    assert [row.get("score") for row in again] == [row.get("score") for row in objects]


def test_a_missing_package_is_reported_before_the_work(
    c4: C4, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("c4core.extras.find_spec", lambda _name: None)
    refused = c4("analyze", "-o", "r.parquet", "-", stdin=f"{EASY}\n")
    assert refused.code == 2
    assert "Parquet files need the package pyarrow: pip install pyarrow" in refused.err
    assert c4("jobs", "list", "--jsonl").out == ""
