"""The positions of ``c4 bench``, their classes, and how times are measured and shown."""

from __future__ import annotations

import pytest

from c4core import Position, Solver
from cli.measuring import (
    CLASSES,
    Lap,
    ScoredPosition,
    by_class,
    class_of,
    lap,
    read_scored,
    shipped_set,
    three_digits,
    time_text,
)


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


def test_shipped_set_has_every_class_and_no_repeats() -> None:
    classes = shipped_set()
    assert list(classes) == list(CLASSES)
    everything = [position for scored in classes.values() for position in scored]
    keys = {Position(position.moves).canonical_key for position in everything}
    assert len(keys) == len(everything)
    assert all(len(scored) >= 20 for scored in classes.values())


def test_shipped_scores_are_right() -> None:
    scored = [one for name, part in shipped_set().items() if "easy" in name for one in part]
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
    assert [time_text(each) for each in seconds] == texts
    numbers = (0.001, 9.994, 9.996, 99.96)
    assert [three_digits(each) for each in numbers] == ["0.00", "9.99", "10.0", "100"]
