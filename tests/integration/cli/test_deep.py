import json
import sqlite3
from contextlib import closing

from c4core.position import Position
from c4core.solver import Solver
from tests.support.running.command_line import C4

SMALL = ("--board", "5x4", "--unit-nodes", "2000")


def test_the_answer_for_people(c4: C4) -> None:
    done = c4("deep", *SMALL, "3", "--threads", "1")
    assert done.code == 0, done.err
    assert "o to move: score 0 for o, a draw" in done.out
    assert "columns: 1: " in done.out
    assert "best play: " in done.out
    assert "proof: " in done.out
    assert "cannot be found" not in done.out
    assert done.err.startswith("job 1 done: ")
    assert "pieces in " in done.err


def test_the_answer_for_programs(c4: C4) -> None:
    done = c4("deep", *SMALL, "33", "--threads", "1", "--json")
    assert done.code == 0, done.err
    answer = json.loads(done.out)
    position = Position("33", width=5, height=4)
    truth = Solver().analyze(position)
    assert (answer["moves"], answer["board"], answer["side"]) == ("33", "5x4", "x")
    assert answer["score"] == truth.score
    assert answer["plies"] == 18
    for score, proven in zip(truth.scores, answer["moves_proven"], strict=True):
        assert score is not None
        assert proven["lower"] <= score <= proven["upper"]
    assert {column - 1 for column in answer["best"]} <= set(truth.best)
    assert answer["best"]
    assert answer["pv_is_complete"]
    assert Position("33" + answer["pv"], width=5, height=4).is_over
    assert (answer["proof"]["missing"], answer["job"]) == (0, 1)
    assert answer["nodes"] > 0
    # The score is stored, so neither a search nor another job has work left.
    assert c4("solve", "--board", "5x4", "--score-only", "--json", "33").objects[0]["nodes"] == 0
    again = json.loads(c4("deep", *SMALL, "33", "--json").out)
    assert (again["job"], again["nodes"], again["score"]) == (2, 0, answer["score"])


def test_columns_counted_from_zero(c4: C4) -> None:
    done = c4("deep", *SMALL, "22", "--zero-based", "--json", "--threads", "1")
    answer = json.loads(done.out)
    assert answer["moves"] == "22"
    assert Position.from_columns([2, 2, *map(int, answer["pv"])], width=5, height=4).is_over


def test_win_draw_or_loss(c4: C4) -> None:
    done = c4("deep", "--board", "5x5", "--weak", "--threads", "1", "--json", "")
    answer = json.loads(done.out)
    assert (done.code, answer["value"]) == (0, "draw")


def test_detached_resumed_watched(c4: C4) -> None:
    made = c4("deep", *SMALL, "--detach", "", "--label", "by hand")
    assert (made.code, made.out) == (0, "1\n")
    assert "c4 jobs resume 1" in made.err
    shown = json.loads(c4("jobs", "show", "1", "--json").out)
    assert (shown["kind"], shown["state"], shown["label"]) == ("deep", "waiting", "by hand")
    assert (shown["tree"]["asked"], shown["tree"]["decided"]) == (1, 0)
    assert shown["tree"]["queued"] >= 2
    text = c4("jobs", "show", "1").out
    assert "-9 to +9, asked: +1 or more?" in text
    assert "0 pieces proven" in text
    resumed = c4("deep", "--board", "5x4", "", "--resume", "--threads", "2")
    assert resumed.code == 0, resumed.err
    assert "score 0 for x" in resumed.out
    assert "job 1 done" in resumed.err
    watched = c4("jobs", "watch", "1")
    assert (watched.code, watched.out.startswith("job 1 done: score 0, ")) == (0, True)
    look = json.loads(c4("jobs", "watch", "1", "--json").out)
    assert (look["tree"]["lower"], look["tree"]["upper"], look["tree"]["at_work"]) == (0, 0, [])
    listed = c4("jobs", "list", "--jsonl").objects
    assert [row["kind"] for row in listed] == ["deep"]
    lines = c4("jobs", "results", "1").objects
    assert len(lines) == look["tree"]["decided"] + look["tree"]["split"]
    assert all("lower" in line for line in lines)


def test_a_cancelled_job_is_resumed(c4: C4) -> None:
    c4("deep", *SMALL, "--detach", "")
    assert c4("jobs", "cancel", "1").code == 0
    assert c4("jobs", "resume", "1", "--threads", "1").code == 0
    assert c4("jobs", "watch", "1").code == 0


def test_a_failed_job_is_tried_again(c4: C4) -> None:
    c4("deep", *SMALL, "--detach", "")
    with closing(sqlite3.connect(c4.directory / "test.db", isolation_level=None)) as database:
        database.execute("UPDATE jobs SET state = 'failed'")
        database.execute("UPDATE units SET state = 'failed', attempts = 3")
    resumed = c4("deep", *SMALL, "", "--resume", "--threads", "1")
    assert (resumed.code, "job 1 done" in resumed.err) == (0, True)
