"""``c4 bench``: its output is tested, but not the measured values."""

import json
import signal

import pytest

from cli import measuring
from cli.measuring import CLASSES, ScoredPosition, measure, shipped_set, signature, thread_counts
from cli.shell import exits
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS


@pytest.fixture(autouse=True)
def few_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure two positions of each class, once."""
    monkeypatch.setattr(measuring, "QUICK", 2)
    monkeypatch.setattr(measuring, "QUICK_HARD", 1)
    monkeypatch.setattr(measuring, "QUICK_SECONDS", 0)


def test_quick_prints_json(c4: C4) -> None:
    done = c4("bench", "--quick", "--threads", "2", "--json")
    assert done.code == exits.FINE, done.err
    found = json.loads(done.out)
    rows = found["rows"]
    assert [row["work"] for row in rows[:6]] == list(CLASSES)
    assert {row["threads"] for row in rows[:6]} == {1}
    assert {row["threads"] for row in rows[6:]} == {2}
    assert not any(row["wrong"] or row["unsolved"] for row in rows)
    assert all(row["nodes_per_second"] > 0 for row in rows)
    assert found["quick"] is True
    again = signature(measure(table_mb=8, threads=1, quick=True))
    assert found["signature"] == again > 0, "the signature is reproducible"


def test_quick_prints_text(c4: C4) -> None:
    done = c4("bench", "--quick", "--threads", "1")
    assert done.code == exits.FINE, done.err
    assert done.err == ""
    lines = done.out.splitlines()
    assert lines[0].startswith("c4 ")
    assert [line.split()[0] for line in lines[-7:-1]] == list(CLASSES)
    assert lines[-1].startswith("signature ")
    assert max(map(len, lines[2:])) <= 100


def test_an_interrupt_ends_it(c4: C4) -> None:
    with c4.start("bench", "--threads", "1") as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=HANG_SECONDS)
    assert (running.returncode, said) == (exits.INTERRUPTED, "Interrupted.\n")


def test_a_wrong_score_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    moves, score = shipped_set()["end-easy"][0]
    wrong = {"end-easy": [ScoredPosition(moves, score + 1)]}
    monkeypatch.setattr(measuring, "shipped_set", lambda: wrong)
    assert [row.wrong for row in measure(table_mb=1, threads=1, quick=True)] == [1]


def test_numbers_of_threads() -> None:
    assert [thread_counts(most) for most in (1, 2, 6)] == [[1], [1, 2], [1, 2, 4, 6]]
