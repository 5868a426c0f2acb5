"""``c4 dataset``: the files do not depend on processes or interruptions."""

import json
import re
import signal
import sys
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from db import jobs
from db.database import Database
from db.records.jobs import MAX_ATTEMPTS, UnitState
from tests.support.boards.books import digest
from tests.support.refusals import refused
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS
from tests.support.running.watching import await_units, held_back, units
from workers.analyze import job as planning

SMALL = ("dataset", "build", "--board", "5x4", "--count", "120")
HARD = ("dataset", "build", "--plies", "18..19", "--count", "100", "--no-book")
"""A single unit contains all of this work unless it is split."""


def digests(directory: Path) -> dict[str, str]:
    return {path.name: digest(path) for path in sorted(directory.iterdir())}


def keys(directory: Path) -> list[int]:
    """The positions of all parts."""
    found: list[int] = []
    for name in ("train", "validation", "test"):
        with np.load(directory / f"{name}.npz") as archive:
            found += archive["key"].tolist()
    return found


class TestBuilding:
    def test_a_set_from_play_passes_info(self, c4: C4) -> None:
        done = c4(*SMALL, "--from", "play", "--output", "x")
        assert done.code == 0
        assert re.search(r"/x: 120 positions \(\d+ train, \d+ validation, \d+ test\)", done.err)
        assert sorted(digests(c4.directory / "x")) == [
            "README.md", "card.json", "test.npz", "train.npz", "validation.npz",
        ]  # fmt: skip
        assert len(set(keys(c4.directory / "x"))) == 120
        for place in ("x", "x/card.json", "x/train.npz"):
            shown = c4("dataset", "info", place)
            assert shown.code == 0
            assert "match the card" in shown.err
            assert "120 positions of 5x4" in shown.out
        told = json.loads(c4("dataset", "info", "x", "--json").out)
        assert (told["problems"], told["positions"]) == ([], 120)
        assert told["command"] == (
            "c4 dataset build --from play --plies 0..19 --count 120 --board 5x4 --seed 1 "
            "--split 80/10/10 --format npz --representation planes"
        )

    def test_the_command_in_the_card_makes_the_same_set(self, c4: C4) -> None:
        formats = ("--format", "npz", "--format", "jsonl", "--representation", "moves")
        built = json.loads(c4(*SMALL, *formats, "--output", "x", "--json").out)
        again = built["command"].split()[1:]
        assert c4("--db", "other.db", *again, "--threads", "1", "--output", "y").code == 0
        assert digests(c4.directory / "x") == digests(c4.directory / "y")
        other = c4(*SMALL, *formats, "--seed", "2", "--output", "y")
        assert (other.code, "has another data set already: --force replaces it" in other.err) == (
            2,
            True,
        )
        assert digests(c4.directory / "x") == digests(c4.directory / "y")
        assert c4(*SMALL, *formats, "--seed", "2", "--output", "y", "--force").code == 0
        assert digests(c4.directory / "x")["train.npz"] != digest(c4.directory / "y/train.npz")

    def test_detached_then_written(self, c4: C4) -> None:
        detached = c4(*SMALL, "--detach")
        assert (detached.code, detached.out) == (0, "1\n")
        assert "c4 jobs resume 1" in detached.err
        assert c4("jobs", "resume", "1").code == 0
        written = c4("-v", *SMALL, "--output", "x")
        assert (written.code, "job 1 was done before" in written.err) == (0, True)
        assert len(c4("jobs", "results", "1").objects) == 120
        fresh = json.loads(c4(*SMALL, "--output", "z", "--fresh", "--json").out)
        assert fresh["job"] == 2
        assert digests(c4.directory / "x") == digests(c4.directory / "z")

    def test_a_count_larger_than_the_board_takes_everything(self, c4: C4) -> None:
        command = ("dataset", "build", "--board", "3x3", "--count", "5000", "--output", "x")
        done = c4(*command)
        assert done.code == 0
        assert "391 positions instead of 5,000: no more were found" in done.err
        card = json.loads((c4.directory / "x" / "card.json").read_text())
        assert (card["positions"], card["asked"], card["is_all"]) == (391, 5000, True)
        assert "no more were found" in (c4.directory / "x" / "README.md").read_text()

    def test_failed_units_leave_no_file(self, c4: C4) -> None:
        assert c4(*SMALL, "--detach").code == 0
        with Database.open(c4.environment["C4_DB"]) as database, database.write() as session:
            for unit in range(MAX_ATTEMPTS):
                claim = jobs.claim(session, owner="ada", lease_seconds=60, engine_version=1)
                assert claim is not None, unit
                jobs.fail(session, claim, "out of luck")
        assert c4("jobs", "resume", "1").code == 1
        # Another attempt with the same command succeeds.
        assert c4(*SMALL, "--output", "x").code == 0


class TestSources:
    def test_games(self, c4: C4) -> None:
        board = ("--board", "5x4")
        lines = "".join(json.dumps({"moves": game}) + "\n" for game in ("3131353", "3535313"))
        assert c4("games", "import", "-", *board, stdin=lines).code == 0
        command = ("dataset", "build", *board, "--from", "games", "--output", "x")
        assert c4(*command).code == 0
        card = json.loads((c4.directory / "x" / "card.json").read_text())
        # The second game is the first one's mirror image.
        assert (card["positions"], card["drawn"], card["duplicates"]) == (7, 14, 7)
        assert card["source"]["matches"] == [1]
        assert card["source"]["games"] == 2
        assert c4(*command, "--corpus", "1", "--plies", "3", "--force").code == 0
        assert len(keys(c4.directory / "x")) == 1
        assert c4("dataset", "info", "x").code == 0

    def test_games_without_moves_are_not_enough(self, c4: C4) -> None:
        assert c4("games", "import", "-", stdin=json.dumps({"moves": "4141474"})).code == 0
        rows = c4("games", "export", "--format", "csv").out
        assert c4("--db", "o.db", "db", "init").code == 0
        assert c4("--db", "o.db", "games", "import", "-", "--format", "csv", stdin=rows).code == 0
        done = c4("--db", "o.db", "dataset", "build", "--from", "games", "--output", "x")
        assert done.code == 2
        assert "1 stored game on 7x6: none has moves" in done.err

    def test_a_set_from_a_book(self, c4: C4) -> None:
        assert c4("book", "build", "--board", "5x4", "--plies", "6", "--out", "b.c4book").code == 0
        command = ("dataset", "build", "--from", "book", "--book", "b.c4book", "--board", "5x4")
        assert c4(*command, "--count", "40", "--output", "x", "--representation", "moves").code == 0
        card = json.loads((c4.directory / "x" / "card.json").read_text())
        assert card["source"]["book"] == "b.c4book"
        assert card["positions"] == 40
        assert c4("dataset", "info", "x").code == 0
        assert c4(*command[:-2], "--output", "y").code == 2
        none = c4(*command, "--plies", "7..", "--output", "y")
        assert (none.code, "no open position at plies 7 to 19" in none.err) == (2, True)


class TestChoices:
    def test_only_quiet_and_decisive_positions(self, c4: C4) -> None:
        only = ("--only", "decisive", "--only", "quiet", "--plies", "4..17")
        assert c4(*SMALL, *only, "--output", "x").code == 0
        card = json.loads((c4.directory / "x" / "card.json").read_text())
        assert card["positions"] == 120
        assert card["filters"]["left_out"] > 0
        for part in card["splits"].values():
            assert part["quiet_decisive"] == part["positions"]
        assert c4("dataset", "info", "x").code == 0
        again = c4(*card["command"].split()[1:], "--threads", "1", "--output", "y")
        assert again.code == 0
        assert digests(c4.directory / "x") == digests(c4.directory / "y")

    def test_filters_take_as_many_as_exist(self, c4: C4) -> None:
        command = ("dataset", "build", "--board", "4x3", "--plies", "8..", "--count", "900")
        done = c4(*command, "--only", "decisive", "--output", "x")
        assert done.code == 0
        assert "no more were found" in done.err
        card = json.loads((c4.directory / "x" / "card.json").read_text())
        assert card["is_all"]
        assert card["positions"] + card["filters"]["left_out"] > card["positions"] > 0
        none = c4(*command, "--only", "decisive", "--plies", "11", "--output", "y")
        assert (none.code, "no position is decisive" in none.err) == (2, True)

    def test_neighbours_are_kept_in_one_part(self, c4: C4) -> None:
        play = ("--from", "play", "--neighbours", "drop", "--output", "x")
        assert c4(*SMALL, *play).code == 0
        shown = c4("dataset", "info", "x")
        assert (shown.code, "drop; in other parts: 0 of train" in shown.out) == (0, True)
        card = json.loads((c4.directory / "x" / "card.json").read_text())
        assert card["positions"] + card["neighbours"]["dropped"] == 120

    def test_a_set_from_strong_play(self, c4: C4) -> None:
        strong = ("--from", "strong", "--blunder", "0.3", "--output")
        few = ("dataset", "build", "--board", "4x4", "--count", "40")
        assert c4(*few, *strong, "x").code == 0
        card = json.loads((c4.directory / "x" / "card.json").read_text())
        assert (card["positions"], card["source"]["blunder"]) == (40, 0.3)
        assert c4("dataset", "info", "x").code == 0
        again = c4("--db", "o.db", *card["command"].split()[1:], "--output", "y")
        assert again.code == 0
        assert digests(c4.directory / "x") == digests(c4.directory / "y")
        end = c4(*few, "--from", "strong", "--plies", "0..1", "--output", "z", "--only", "quiet")
        assert (end.code, "no more were found" in end.err) == (0, True)


class TestPublicSets:
    @pytest.fixture
    def c4(self, c4: C4) -> C4:
        """A directory with a data set, ``x``."""
        assert c4(*SMALL, "--output", "x").code == 0
        return c4

    def write(self, c4: C4, *options: str) -> list[str]:
        done = c4("dataset", "export", "x", "--output", "set.txt", *options)
        assert done.code == 0
        return (c4.directory / "set.txt").read_text().splitlines(keepends=True)

    READ = ("dataset", "build", "--from", "file", "--input", "set.txt", "--board", "5x4")

    @pytest.mark.parametrize("options", ["--all-moves", "--format refmoves --weak --split train"])
    def test_a_set_is_written_and_read(self, c4: C4, options: str) -> None:
        lines = self.write(c4, *options.split())
        done = c4(*self.READ, "--split", "0/0/1", "--output", "y")
        assert done.code == 0
        what = "results" if "--weak" in options else "scores"
        assert f"set.txt: the {what} of {len(lines)} lines are right" in done.err
        card = json.loads((c4.directory / "y" / "card.json").read_text())
        assert list(card["splits"]) == ["test"]
        assert card["source"]["file_labels_different"] == 0
        assert card["source"]["file_sha256"] == digest(c4.directory / "set.txt")

    def test_a_wrong_score_is_reported(self, c4: C4) -> None:
        lines = self.write(c4)
        moves, score = lines[4].split()
        wrong = 3 if int(score) != 3 else 2
        text = "".join([*lines[:4], f"{moves} {wrong}\n", *lines[5:]])
        (c4.directory / "set.txt").write_text(text)
        done = c4(*self.READ, "--output", "y")
        assert (done.code, "1 of" in done.err, "the first in line 5" in done.err) == (1, True, True)
        assert c4("dataset", "info", "y").code == 0

    def test_a_bad_line_is_reported(self, c4: C4) -> None:
        (c4.directory / "set.txt").write_text("12 0\nnonsense\n")
        done = c4(*self.READ, "--output", "y")
        assert (done.code, "set.txt, line 2: not moves and one score" in done.err) == (1, True)
        assert "Traceback" not in done.err

    def test_a_missing_part_is_reported(self, c4: C4) -> None:
        assert c4(*SMALL, "--split", "1/0/1", "--output", "x", "--force").code == 0
        assert not (c4.directory / "x" / "validation.npz").exists()
        done = c4("dataset", "export", "x", "--split", "validation")
        assert (done.code, "no part validation" in done.err) == (1, True)
        done = c4("dataset", "export", "x", "--format", "refmoves", "--all-moves")
        assert (done.code, "--all-moves needs" in done.err) == (2, True)


def test_an_interrupted_build_is_resumed(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process cannot end before the signal: all units but four are held back."""
    undisturbed = C4(c4.directory / "undisturbed")
    undisturbed.directory.mkdir()
    write = (*HARD, "--output", "out")
    assert undisturbed(*write, "--threads", "1").code == 0
    url = c4.environment["C4_DB"]
    monkeypatch.setattr(planning, "UNIT_SECONDS", 0.005)  # for the job that the process finds
    assert c4(*HARD, "--detach").code == 0
    assert units(url)[UnitState.QUEUED] > 10
    (c4.directory / "out").mkdir()
    with held_back(url, 1, free=4) as kept:
        with c4.start(*write, "--threads", "2") as process:
            await_units(url, process, UnitState.DONE, 1)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=HANG_SECONDS)
        assert process.returncode == 130, errors
        assert "Give the same command again to go on" in errors
        assert units(url)[UnitState.LEASED] == kept
    assert list((c4.directory / "out").iterdir()) == []
    last = c4(*write)
    assert (last.code, "job 1 done" in last.err) == (0, True)
    assert digests(c4.directory / "out") == digests(undisturbed.directory / "out")


def test_the_same_command_may_give_another_set(c4: C4) -> None:
    """Games were stored meanwhile: nothing is replaced without a request."""
    board = ("--board", "5x4")
    command = ("dataset", "build", *board, "--from", "games", "--output", "x")
    for game, changes in (("3131353", False), ("1212121", True)):
        line = json.dumps({"moves": game})
        assert c4("games", "import", "-", *board, stdin=line).code == 0
        done = c4(*command)
        assert (done.code, "--force replaces it" in done.err) == (
            (2, True) if changes else (0, False)
        )
    before = len(keys(c4.directory / "x"))
    assert c4(*command, "--force").code == 0
    assert len(keys(c4.directory / "x")) > before


class TestBadInput:
    def test_bad_arguments_start_no_work(self, c4: C4, snapshot: SnapshotAssertion) -> None:
        (c4.directory / "file").touch()
        assert {
            words: refused(c4, f"dataset build {words}")
            for words in (
                "",
                "--format csv",
                "--from nowhere",
                "--representation words",
                "--count 0",
                "--plies 3..42 --output x",
                "--plies 9..3",
                "--plies -2 --output x",
                "--split 80/20",
                "--split 0/0/0",
                "--seed -1",
                "--corpus 1",
                "--blunder 0.5",
                "--from strong --blunder 2",
                "--from strong --detach",
                "--input file",
                "--from file",
                "--from file --input nowhere",
                "--only hard",
                "--neighbours some",
                "--license 'no license'",
                "--from book --no-book",
                "--detach --output x",
                "--detach --force",
                "--output file",
                "--board 19x9 --output x",
            )
        } == snapshot
        assert "'/proc/x'" in refused(c4, "dataset build --output /proc/x")[1]
        assert not (c4.directory / "test.db").exists()

    def test_missing_games_and_matches_are_reported(self, c4: C4) -> None:
        command = ("dataset", "build", "--from", "games", "--output", "x")
        none = c4(*command)
        assert (none.code, "no finished match on 7x6 is stored" in none.err) == (2, True)
        wrong = c4(*command, "--corpus", "7")
        assert (wrong.code, "match 7 is not a finished match on 7x6" in wrong.err) == (2, True)

    def test_a_missing_book_is_reported(self, c4: C4) -> None:
        done = c4(*SMALL, "--from", "book", "--output", "x")
        assert (done.code, "no book for 5x4 is included" in done.err) == (2, True)

    def test_a_missing_pyarrow_is_reported(self, c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        done = c4(*SMALL, "--format", "parquet", "--output", "x")
        assert done.code == 1
        assert "pip install pyarrow" in done.err
        assert not (c4.directory / "test.db").exists()

    def test_a_changed_data_set_is_not_replaced(self, c4: C4) -> None:
        assert c4(*SMALL, "--format", "jsonl", "--output", "x").code == 0
        path = c4.directory / "x" / "test.jsonl"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
        done = c4("dataset", "info", "x")
        assert done.code == 1
        assert "wrong: test.jsonl: not the file that was written with the card" in done.out
        assert "wrong: test.jsonl: the numbers of positions" in done.out
        assert json.loads(c4("dataset", "info", "x", "--json").out)["problems"]
