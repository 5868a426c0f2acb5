"""``c4 bench``: its output and its positions are tested, but not the measured values."""

import json
import re
import signal

import pytest

from c4core import Position, Solver
from cli import measuring
from cli.measuring import (
    CLASSES,
    Lap,
    ScoredPosition,
    by_class,
    class_of,
    lap,
    measure,
    read_scored,
    shipped_set,
    signature,
    thread_counts,
    three_digits,
    time_with_unit,
)
from cli.shell.process import Exit
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
    assert done.code == Exit.FINE, done.err
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
    assert (done.code, done.err) == (Exit.FINE, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("c4 ")
    assert [line.split()[0] for line in lines[-7:-1]] == list(CLASSES)
    assert re.fullmatch(r"signature \d+ \(quick\)", lines[-1])
    assert max(map(len, lines[2:])) <= 100


def test_an_interrupt_ends_it(c4: C4) -> None:
    with c4.start("bench", "--threads", "1") as running:
        assert running.stdout is not None
        running.stdout.readline()
        running.send_signal(signal.SIGINT)
        _, said = running.communicate(timeout=HANG_SECONDS)
    assert (running.returncode, said) == (Exit.INTERRUPTED, "Interrupted.\n")


def test_a_wrong_score_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    moves, score = shipped_set()["end-easy"][0]
    wrong = {"end-easy": [ScoredPosition(moves, score + 1)]}
    monkeypatch.setattr(measuring, "shipped_set", lambda: wrong)
    assert [row.wrong for row in measure(table_mb=1, threads=1, quick=True)] == [1]


def test_numbers_of_threads() -> None:
    assert [thread_counts(most) for most in (1, 2, 6)] == [[1], [1, 2], [1, 2, 4, 6]]


@pytest.mark.parametrize(
    ("moves", "score", "name"),
    [
        ("2252576253462244111563365343671351441", -1, "end-easy"),
        ("52753311433677442422121", 8, "middle-easy"),
        ("274552224131661", 0, "middle-medium"),
        ("32164625", 11, "begin-easy"),
        ("32751571231557", -3, "begin-medium"),
        ("13712", 3, "begin-hard"),
        ("", 1, "begin-hard"),
    ],
)
def test_positions_have_the_right_class(moves: str, score: int, name: str) -> None:
    assert class_of(ScoredPosition(moves, score)) == name
    assert by_class([ScoredPosition(moves, score)])[name] == [ScoredPosition(moves, score)]


def test_scored_lines_are_read() -> None:
    assert read_scored(["4453 -2\n", "\n", "45 0 123 extra\n"]) == [("4453", -2), ("45", 0)]
    for line in ("4453", "4453 x"):
        with pytest.raises(ValueError, match="line 2 is not 'moves score'"):
            read_scored(["4453 -2", line])


def test_the_shipped_set_has_every_class_no_repeats_and_right_scores() -> None:
    classes = shipped_set()
    assert list(classes) == list(CLASSES)
    everything = [position for scored in classes.values() for position in scored]
    keys = {Position(position.moves).canonical_key for position in everything}
    assert len(keys) == len(everything)
    assert all(len(scored) >= 20 for scored in classes.values())
    scored = [one for name, part in classes.items() if "easy" in name for one in part]
    found = Solver().solve_many([position.moves for position in scored])
    assert found.scores.tolist() == [position.score for position in scored]


def test_laps_add_up() -> None:
    result, took = lap(lambda: 7)
    assert result == 7
    assert min(took.cpu, took.wall) >= 0
    assert (Lap(1, 2) + Lap(4, 5) - Lap(1, 1)) / 2 == Lap(2, 3)


def test_times_have_three_digits() -> None:
    seconds = (0, 2.5e-9, 3.42e-5, 0.9996e-3, 0.0999, 1234.5)
    texts = ["-", "2.50 ns", "34.2 µs", "1.00 ms", "99.9 ms", "1,234 s"]
    assert [time_with_unit(each) for each in seconds] == texts
    numbers = (0.001, 9.994, 9.996, 99.96)
    assert [three_digits(each) for each in numbers] == ["0.00", "9.99", "10.0", "100"]
