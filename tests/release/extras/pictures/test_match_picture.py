"""The elements of match pictures; their look is for human eyes."""

from pathlib import Path

import numpy as np
import pytest

from c4core.arena.judging import JudgedMove
from c4core.arena.statistics import Tally
from cli.reports import picture
from db.records.matches import Seats
from tests.support.reports import report_of
from tests.support.running.command_line import C4

MOVES = [JudgedMove(ply, "x" if ply % 2 == 0 else "o", 0, 1, 1 - ply) for ply in range(4)] * 5


def test_course() -> None:
    numbers, shares, lows, highs = picture.course_of(np.array([0, 1, 1, -1, 0]))
    assert numbers.tolist() == [2, 3, 4, 5]
    assert shares.tolist() == [1, 1, pytest.approx(2 / 3), pytest.approx(2 / 3)]
    assert (lows < shares).all()
    assert (highs >= shares - 1e-9).all()


def test_a_long_course_keeps_its_end() -> None:
    numbers, shares, *_ = picture.course_of(np.tile([1, -1], 50_001))
    assert len(numbers) <= picture.MAX_POINTS + 2
    assert numbers[-1] == 100_002
    assert shares[-1] == 0.5


def test_map_with_fixed_seats() -> None:
    reports = [
        report_of(Tally(9, 1), player_a="set", player_b="random"),
        report_of(Tally(6, 4), player_a="set", player_b="set"),
    ]
    rows, columns, field = picture.score_map(reports)
    assert (rows, columns) == (["set"], ["random", "set"])
    assert field["set", "random"] == Tally(9, 1)


def test_map_of_all_players() -> None:
    reports = [
        report_of(Tally(1, 9), player_a="random", player_b="set", seats=Seats.ALTERNATE),
        report_of(Tally(6, 4), player_a="stupid", player_b="random", seats=Seats.ALTERNATE),
    ]
    rows, columns, field = picture.score_map(reports)
    assert rows == columns == ["set", "stupid", "random"]
    assert field["set", "random"] == field["random", "set"].reversed() == Tally(9, 1)


@pytest.mark.parametrize("judged", [[], [("x", MOVES)], [("x", MOVES[:1])]])
def test_files(tmp_path: Path, judged: list[object]) -> None:
    report = report_of(Tally(6, 3, 1), judged=judged)  # type: ignore[arg-type]  # parametrized
    paths = [tmp_path / "match.svg", tmp_path / "match.png"]
    picture.draw_match(report, paths)
    assert paths[1].read_bytes().startswith(b"\x89PNG")
    assert ("points given away" in paths[0].read_text()) == bool(judged)
    picture.draw_tournament([report], paths)
    again = paths[0].read_bytes()
    picture.draw_tournament([report], paths)
    assert paths[0].read_bytes() == again


def test_commands_draw(tmp_path: Path) -> None:
    c4 = C4(tmp_path)
    options = ("--games", "6", "--judge", "none")
    done = c4("match", "set", "random", *options, "--plot", "m.svg")
    assert (done.code, done.err.splitlines()[-1]) == (0, "m.svg")
    done = c4("tournament", "set", "random", "stupid", *options, "-q", "--plot", "t.png")
    assert (done.code, done.err) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} >= {"m.svg", "t.png"}
    assert not list(tmp_path.glob(".*"))
