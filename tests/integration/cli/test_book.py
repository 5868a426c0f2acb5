"""``c4 book``: querying, verifying, exchanging and plotting, and books in other commands."""

import json
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.position import Position
from c4core.solver import Solver
from tests.support.boards.books import digest
from tests.support.boards.small_books import opening_book
from tests.support.refusals import refused
from tests.support.running.command_line import C4

PLIES = 6


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "b.c4book"
    opening_book(path, width=5, height=4, last=PLIES)
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


class TestInfo:
    def test_for_programs(self, c4: C4) -> None:
        about = json.loads(c4("book", "info", "b.c4book", "--json").out)
        assert (about["board"], about["kind"], about["last_ply"]) == ("5x4", "complete", PLIES)
        assert about["bytes"] == (c4.directory / "b.c4book").stat().st_size
        assert [ply["positions"] for ply in about["plies"]] == [1, 3, 13, 49, 177, 542, 1626]
        assert about["positions"] == sum(ply["positions"] for ply in about["plies"])

    def test_for_people(self, c4: C4, snapshot: SnapshotAssertion) -> None:
        done = c4("book", "info", "b.c4book")
        assert (done.code, done.out) == (0, snapshot)

    def test_values(self, c4: C4) -> None:
        plies = json.loads(c4("book", "info", "b.c4book", "--values", "--json").out)["plies"]
        for ply in plies:
            assert ply["x_wins"] + ply["draws"] + ply["o_wins"] == ply["positions"]
        # Every first move draws, except one at the edge, which loses.
        assert [plies[1][name] for name in ("x_wins", "draws", "o_wins")] == [0, 2, 1]
        done = c4("book", "info", "b.c4book", "--values")
        assert done.out.splitlines()[-1].split()[:2] == ["6", "1,626"]
        assert "x wins" in done.out

    def test_no_book_for_the_board(self, c4: C4) -> None:
        assert c4("book", "probe", "--board", "4x4", "1").code == 2


class TestProbe:
    def test_answers_agree_with_the_solver(self, c4: C4) -> None:
        lines = ["", "3", "33", "3344", "12345", "12341"]
        done = c4("book", "probe", "--book", "b.c4book", "--json", *lines)
        assert done.code == 0
        for moves, found in zip(lines, done.objects, strict=True):
            analysis = Solver(table_mb=1).analyze(Position(moves, width=5, height=4))
            assert (found["moves"], found["score"]) == (moves, analysis.score)
            assert found["scores"] == list(analysis.scores)
            assert found["best"] == [column + 1 for column in analysis.best]
            assert found["source"] == "book"

    def test_for_people(self, c4: C4, snapshot: SnapshotAssertion) -> None:
        done = c4("book", "probe", "--book", "b.c4book", "33")
        assert (done.code, done.out) == (0, snapshot)

    def test_several_arguments_of_one_move_get_a_hint(self, c4: C4) -> None:
        done = c4("book", "probe", "--book", "b.c4book", "3", "3")
        assert done.code == 0
        assert done.err == (
            "These are 2 positions of one move each. For one position: c4 book probe 33\n"
        )

    def test_on_the_last_ply_columns_are_unknown(self, c4: C4) -> None:
        done = c4("book", "probe", "--book", "b.c4book", "--json", "123451")
        (found,) = done.objects
        assert done.code == 0
        assert found["score"] is not None
        assert found["scores"] == [None] * 5

    def test_lines(self, c4: C4) -> None:
        lines = '33\n\n{"id": "a", "moves": "1234512"}\n{"id": 4, "moves": "3"}\n'
        done = c4("book", "probe", "--book", "b.c4book", "-", stdin=lines)
        assert done.code == 1
        first, empty, unknown, last = done.objects
        assert first["score"] == 0
        assert "empty line" in empty["error"]
        assert (unknown["id"], unknown["error"]) == ("a", "the book does not have this position")
        assert last["id"] == 4

    def test_refused(self, c4: C4, snapshot: SnapshotAssertion) -> None:
        assert {
            moves: refused(c4, f"book probe --book b.c4book {moves}")
            for moves in ("1234512", "1212121")
        } == snapshot


class TestVerify:
    def test_an_intact_book_passes(self, c4: C4) -> None:
        done = c4("book", "verify", "b.c4book", "--sample", "50", "--json")
        assert done.code == 0
        found = json.loads(done.out)
        assert (found["sound"], found["problems"], found["solved"]) == (True, [], 50)
        assert found["positions"] == 2411

    def test_a_damaged_book_fails(self, c4: C4) -> None:
        damage(c4, -40)
        done = c4("book", "verify", "b.c4book", "--sample", "0")
        assert done.code == 1
        assert "checksum" in done.out
        assert "b.c4book is wrong" in done.err


@pytest.mark.parametrize("command", ["info", "verify", "export", "probe"])
def test_bad_files_are_reported(c4: C4, command: str, snapshot: SnapshotAssertion) -> None:
    """Every command reports bad files; tests/unit/c4core/book tests the kinds of faults."""
    path = c4.directory / "b.c4book"
    words = "probe 33 --book" if command == "probe" else command
    cut_off = path.read_bytes()[:-100]
    said = {"missing": refused(c4, f"book {words} nowhere")}
    damage(c4, 9)  # the higher byte of the format's version
    said["newer"] = refused(c4, f"book {words} b.c4book")
    path.write_bytes(cut_off)
    said["cut off"] = refused(c4, f"book {words} b.c4book")
    assert said == snapshot


class TestExchange:
    def test_the_extension_sets_the_format(self, c4: C4) -> None:
        assert c4("book", "export", "b.c4book", "-o", "x.csv").code == 0
        assert (c4.directory / "x.csv").read_text().startswith("ply,key,score\n")
        options = ("--board", "5x4", "--complete", "--out", "y.c4book")
        assert c4("book", "import", "x.csv", *options).code == 0
        assert digest(c4.directory / "y.c4book") == digest(c4.directory / "b.c4book")
        assert c4("book", "export", "b.c4book", "--format", "csv", "-o", "x.jsonl").code == 0
        assert (c4.directory / "x.jsonl").read_text() == (c4.directory / "x.csv").read_text()

    def test_pons(self, c4: C4) -> None:
        done = c4("book", "export", "b.c4book", "--format", "pons", "-o", "x.book")
        assert done.code == 0
        assert "x.book: 2,411 positions" in done.err
        assert c4("book", "import", "x.book", "--format", "pons", "--out", "y.c4book").code == 0
        assert c4("book", "verify", "y.c4book").code == 0
        asked = ("33", "3344", "123")
        ask = ("book", "probe", "--json", *asked, "--book")
        answers = [
            [found["score"] for found in c4(*ask, name).objects]
            for name in ("b.c4book", "y.c4book")
        ]
        assert answers[0] == answers[1]

    def test_lines_are_read_by_solve(self, c4: C4) -> None:
        lines = c4("book", "export", "b.c4book").out.splitlines()[1:20]
        solved = c4("solve", "-", "--board", "5x4", "--no-book", stdin="\n".join(lines))
        assert solved.code == 0
        assert [found["score"] for found in solved.objects] == [
            json.loads(line)["score"] for line in lines
        ]

    def test_bad_exchanges_are_refused(self, c4: C4, snapshot: SnapshotAssertion) -> None:
        (c4.directory / "bad.csv").write_text("ply,key,score\n0,1082401,0\n1,1082402,many\n")
        assert {
            words: refused(c4, f"book {words}")
            for words in (
                "export b.c4book --format uci",
                "export b.c4book --format pons",
                "export b.c4book -o no/where",
                "import b.c4book --out y",
                "import bad.csv --out y",
                "import bad.csv --format jsonl --out y",
                "import bad.csv --format pons --out y",
                "import bad.csv --format jsonl --start 3 --out y",
                "export b.c4book -o x.json",
                "export b.c4book -o x.md",
                "import /dev/null --out y",
                "import bad.csv --output no/y",
            )
        } == snapshot
        assert sorted(path.name for path in c4.directory.iterdir()) == ["b.c4book", "bad.csv"]

    def test_nothing_is_replaced_without_force(self, c4: C4) -> None:
        lines = c4("book", "export", "b.c4book").out
        (c4.directory / "x").write_text(lines)
        (c4.directory / "y.c4book").write_text("years of work")
        done = c4("book", "import", "x", "--out", "y.c4book")
        assert done.code == 2
        assert "'y.c4book' exists already: --force replaces it" in done.err
        assert (c4.directory / "y.c4book").read_text() == "years of work"
        assert c4("book", "import", "x", "--out", "y.c4book", "--force").code == 0
        assert digest(c4.directory / "y.c4book") == digest(c4.directory / "b.c4book")

    def test_a_truncated_export_is_not_imported(self, c4: C4) -> None:
        lines = c4("book", "export", "b.c4book").out.splitlines(keepends=True)
        (c4.directory / "x").write_text("".join(lines[:-5]))
        done = c4("book", "import", "x", "--out", "y.c4book")
        assert done.code != 0
        assert not (c4.directory / "y.c4book").exists()


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

    def test_score_only_reaches_the_last_ply(self, c4: C4) -> None:
        options = ("--board", "5x4", "--json", "--no-store", "--score-only", "--book", "b.c4book")
        (found,) = c4("solve", *options, "123451").objects
        assert found["source"] == "book"

    def test_best_play_starts_in_the_book(self, c4: C4) -> None:
        options = ("--board", "5x4", "--json", "--no-store", "--pv")
        (with_book,) = c4("solve", *options, "--book", "b.c4book", "").objects
        (without,) = c4("solve", *options, "").objects
        assert with_book["pv"] == without["pv"]

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

    @pytest.mark.parametrize("command", ["solve 33", "analyze --sample"])
    def test_bad_books_are_refused(self, c4: C4, command: str, snapshot: SnapshotAssertion) -> None:
        (c4.directory / "x.c4book").write_text("nothing of the kind")
        assert {
            words: refused(c4, f"{command} {words}")
            for words in (
                "--book b.c4book",
                "--book nowhere",
                "--book b.c4book --no-book",
                "--book x.c4book",
            )
        } == snapshot
