import json
import re
from pathlib import Path

import pytest

from cli.jobs.analyze import SAMPLE
from tests.support.command_line import C4

EASY = "2252576253462244111563365343671351441"


@pytest.fixture
def c4(tmp_path: Path) -> C4:
    return C4(tmp_path)


def write_positions(c4: C4, *lines: str) -> str:
    path = c4.directory / "positions.txt"
    path.write_text("".join(f"{line}\n" for line in lines))
    return str(path)


def test_answers_are_stored_and_known_the_next_time(c4: C4) -> None:
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


@pytest.mark.parametrize("number", [20_000, pytest.param(1_000_000, marks=pytest.mark.long)])
def test_ten_bad_lines_of_many(c4: C4, number: int) -> None:
    bad = set(range(7, number, number // 10))
    lines = (f"{EASY}\n" if index not in bad else "8\n" for index in range(number))
    (c4.directory / "many").write_text("".join(lines))
    assert c4("analyze", "many", "--output", "out").code == 1
    with (c4.directory / "out").open() as results:
        is_error = ['"error"' in line for line in results]
    assert len(is_error) == number
    assert {index for index, found in enumerate(is_error) if found} == bad


def test_output_file_is_whole(c4: C4) -> None:
    done = c4("analyze", write_positions(c4, EASY), "--output", "out.jsonl")
    assert (done.code, done.out) == (0, "")
    assert json.loads((c4.directory / "out.jsonl").read_text())["score"] == -1


def test_output_that_cannot_be_written_is_found_out_first(c4: C4) -> None:
    done = c4("analyze", write_positions(c4, EASY), "--output", "no/such/file")
    assert done.code == 2
    assert "No such file" in done.err
    assert c4("jobs", "list", "--jsonl").out == ""


def test_detached_job_is_resumed(c4: C4) -> None:
    done = c4("analyze", "--detach", "--label", "later", write_positions(c4, EASY, EASY + "6"))
    assert (done.code, done.out) == (0, "1\n")
    (job,) = json.loads(c4("jobs", "list", "--json").out)
    assert (job["state"], job["positions"], job["done"]) == ("running", 2, 0)
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
def test_file_that_is_no_list_of_positions(c4: C4, content: bytes, message: str) -> None:
    (c4.directory / "input").write_bytes(content)
    for done in (c4("analyze", "input"), c4("analyze", "-", stdin=content)):
        assert done.code == 2
        assert done.out == ""
        assert message in done.err
    assert c4("jobs", "list", "--jsonl").out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "'nowhere': No such file"),
        (["."], "'.': Is a directory"),
        (["--sample", "x"], "x"),
        (["--sample", "--detach", "-o", "x"], "detached"),
        (["--sample", "--threads", "0"], "--threads"),
    ],
)
def test_bad_arguments(c4: C4, arguments: list[str], message: str) -> None:
    done = c4("analyze", *arguments)
    assert done.code == 2
    assert message in done.err


def test_sample_ships_and_is_in_order() -> None:
    lines = SAMPLE.read_text().splitlines()
    assert len(lines) == len(set(lines)) == 300
    lengths = [len(line) for line in lines]
    assert lengths == sorted(lengths)
    assert set(lengths) == set(range(6, 42))
