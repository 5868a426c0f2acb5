"""``c4 book``: querying, verifying and exporting books, and books in other commands."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.boards.small_books import opening_book
from tests.support.running.command_line import C4

PLIES = 6
PROBE = ("book", "probe", "--json", "--book", "b.c4book")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "b.c4book"
    opening_book(path, board="5x4", last=PLIES)
    return path


@pytest.fixture
def c4(c4: C4, built: Path) -> C4:
    """A directory with a book of 5x4, ``b.c4book``."""
    shutil.copy(built, c4.directory)
    return c4


def damage(c4: C4, at: int) -> None:
    """Change a byte of the book."""
    data = bytearray((c4.directory / "b.c4book").read_bytes())
    data[at] ^= 1
    (c4.directory / "b.c4book").write_bytes(data)


def test_texts(c4: C4, dialogue: Callable[..., None]) -> None:
    dialogue(
        c4,
        "book info b.c4book",
        "book info b.c4book --values",
        "book info b.c4book --values --json",
        "book verify b.c4book --sample 50 --json",
        "book probe --book b.c4book 33",
        "book probe --book b.c4book 3 3",  # moves of one position, perhaps
        "book probe --book b.c4book --json 123451",  # a last ply, without scores of columns
        "book probe --book b.c4book 1234512",
        "book probe --book b.c4book 1212121",
    )


def test_lines(c4: C4, dialogue: Callable[..., None]) -> None:
    lines = '33\n\n{"id": "a", "moves": "1234512"}\n{"id": 4, "moves": "3"}\n'
    dialogue(c4, "book probe --book b.c4book -", stdin=lines)


def test_bad_files_are_reported(c4: C4, dialogue: Callable[..., None]) -> None:
    """Every command reports bad files; tests/unit/c4core/book tests the kinds of faults."""
    path = c4.directory / "b.c4book"
    intact = path.read_bytes()
    lines = [f"book {each}" for each in ("info", "verify", "export", "probe 33 --book")]
    dialogue(c4, *(f"{line} nowhere" for line in lines))
    damage(c4, 9)  # the higher byte of the format's version
    dialogue(c4, *(f"{line} b.c4book" for line in lines))
    path.write_bytes(intact[:-100])
    dialogue(c4, *(f"{line} b.c4book" for line in lines))
    path.write_bytes(intact)
    damage(c4, -40)  # its checksum no longer fits
    dialogue(c4, "book verify b.c4book --sample 0")


class TestExport:
    def test_the_extension_sets_the_format(self, c4: C4) -> None:
        assert c4("book", "export", "b.c4book", "-o", "x.jsonl").code == 0
        assert (c4.directory / "x.jsonl").read_text().startswith('{"book": {"board": "5x4"')
        done = c4("book", "export", "b.c4book", "-o", "x.book")
        assert done.code == 0
        assert "x.book: 2,411 positions" in done.err

    def test_lines_are_read_by_solve(self, c4: C4) -> None:
        lines = c4("book", "export", "b.c4book").out.splitlines()[1:20]
        solved = c4("solve", "-", "--board", "5x4", "--no-book", stdin="\n".join(lines))
        assert solved.code == 0
        scores = [json.loads(line)["score"] for line in lines]
        assert [found["score"] for found in solved.objects] == scores

    def test_bad_exports_are_refused(self, c4: C4, dialogue: Callable[..., None]) -> None:
        dialogue(
            c4,
            "book export b.c4book --format pons",
            "book export b.c4book --format csv",
            "book export b.c4book -o no/where",
            "book export b.c4book -o x.json",
        )
        assert [path.name for path in c4.directory.iterdir()] == ["b.c4book"]


class TestInOtherCommands:
    def test_solve(self, c4: C4) -> None:
        lines = ["", "33", "123451", "1234512"]
        options = ("--board", "5x4", "--json", "--no-store")
        with_book = c4("solve", *options, "--book", "b.c4book", *lines).objects
        assert [found["source"] for found in with_book] == ["book", "book", "search", "search"]
        assert [found["nodes"] for found in with_book[:2]] == [0, 0]
        without = c4("solve", *options, "--no-book", *lines).objects
        for name in ("score", "scores", "best", "plies"):
            assert [found[name] for found in with_book] == [found[name] for found in without]
        (last,) = c4("solve", *options, "--score-only", "--book", "b.c4book", "123451").objects
        assert last["source"] == "book"
        (with_line,) = c4("solve", *options, "--pv", "--book", "b.c4book", "").objects
        (line,) = c4("solve", *options, "--pv", "").objects
        assert with_line["pv"] == line["pv"]

    def test_analyze(self, c4: C4) -> None:
        lines = "33\n54\n\n1234512\n"
        done = c4("analyze", "--board", "5x4", "--book", "b.c4book", "-", stdin=lines)
        assert [found.get("source") for found in done.objects] == ["book", "book", None, "search"]
        assert "2 known before" in done.err
        again = c4("analyze", "--board", "5x4", "--no-book", "-", stdin="33\n")
        assert again.objects[0]["source"] == "search"
        assert again.objects[0]["scores"] == done.objects[0]["scores"]

    def test_a_deleted_book_is_not_needed(self, c4: C4) -> None:
        arguments = ("analyze", "--board", "5x4", "--book", "b.c4book", "--detach", "-")
        assert c4(*arguments, stdin="33\n").code == 0
        (c4.directory / "b.c4book").unlink()
        # In this process the book would still be open.
        (found,) = c4.shell("c4 jobs resume 1 --output -").objects
        assert found["source"] == "search"
