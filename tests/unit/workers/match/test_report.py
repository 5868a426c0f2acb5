"""The report of a match: results, significance, time and accuracy; matches as JSON objects."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from c4core.arena.judging import Accuracy, JudgedMove
from c4core.arena.statistics import Sprt, Tally
from c4core.position import Position
from db.records.jobs import JobState
from db.records.matches import MatchTally, Origin
from tests.support.reports import match_info, match_results, report_of
from workers.match.report import (
    COURSE_POINTS,
    course_object,
    make_report,
    match_object,
    match_summary,
)

GAMES = [(1, True, 7), (-1, True, 8), (1, False, 10), (0, False, 42)]
"""Player a's result, whether it moved first, and the number of moves."""
REPORT = make_report(match_info(), match_results(GAMES))


def test_results_by_seat() -> None:
    a, b = REPORT.a, REPORT.b
    assert (a.as_x, a.as_o, a.results) == (Tally(1, 1, 0), Tally(1, 0, 1), Tally(2, 1, 1))
    assert (b.as_x, b.as_o, b.results) == (Tally(0, 1, 1), Tally(1, 1, 0), Tally(1, 2, 1))
    assert (REPORT.first_mover, REPORT.games, REPORT.leader) == (Tally(1, 2, 1), 4, "a")


def test_moves_and_times() -> None:
    # a moved 4 + 4 times with x, and 5 + 21 times with o.
    assert (REPORT.a.moves, REPORT.b.moves) == (34, 33)
    assert (REPORT.a.seconds_per_move, REPORT.b.seconds_per_move) == (1.0, 2.0)
    assert (REPORT.seconds, REPORT.seconds_per_game) == (34 + 66, 25)
    assert REPORT.seconds_per_move == pytest.approx(100 / 67)
    assert REPORT.games_per_second == 0.04
    assert (REPORT.mean_length, REPORT.shortest, REPORT.longest) == (67 / 4, 7, 42)
    # After an odd number of stones o moves first and has the odd move.
    report = make_report(match_info(start=Position("4")), match_results([(1, True, 7)]))
    assert (report.a.moves, report.b.moves) == (3, 4)


@pytest.mark.parametrize("impossible", [math.inf, -math.inf, math.nan, 1.7e308, 1e300, -1.0])
def test_impossible_times_count_as_unknown(impossible: float) -> None:
    """A received database may have any times; numpy warns if their sum is not a number."""
    results = match_results(GAMES)
    results.a_seconds[1:] = impossible
    results.b_seconds[:] = impossible
    report = make_report(match_info(), results)
    assert (report.a.seconds, report.b.seconds, report.seconds) == (4.0, 0.0, 4.0)
    assert report.games_per_second == 1.0
    results.a_seconds[:], results.b_seconds[:] = 5e-324, 0.0
    assert make_report(match_info(), results).games_per_second is None  # and not infinite


def test_the_blogs_example() -> None:
    report = report_of(Tally(43, 54, 3))
    assert report.leader == "b"
    assert report.decisive_rate == pytest.approx(54 / 97)
    assert report.p_one_sided == pytest.approx(0.155, abs=0.001)
    assert report.p_two_sided == pytest.approx(0.310, abs=0.001)
    assert not report.is_significant
    interval = report.decisive_interval
    assert interval is not None
    assert interval.low < 54 / 97 < interval.high
    repetitive = [report_of(Tally(100, 0), distinct=number).is_repetitive for number in (1, 90)]
    assert (report.is_repetitive, repetitive) == (False, [True, False])


def test_no_games() -> None:
    results = match_results(GAMES)
    none = {name: getattr(results, name)[:0] for name in results.__slots__ if name != "distinct"}
    report = make_report(match_info(), type(results)(**none, distinct=0))
    assert report.games == 0
    assert (report.p_two_sided, report.elo, report.decisive_rate, report.mean_length) == (None,) * 4
    seconds = (report.seconds_per_game, report.seconds_per_move, report.games_per_second)
    assert seconds == (None, None, None)
    assert (report.leader, report.is_repetitive) == (None, False)
    assert course_object(report) == {"games": [], "wins": [], "losses": [], "draws": []}


def test_the_sequential_test_is_about_player_a() -> None:
    test = Sprt(0, 100)
    report = report_of(Tally(60, 30, 10), sprt=test)
    assert report.ratio == pytest.approx(test.ratio(Tally(60, 30, 10)))
    assert report.ratio is not None
    assert report.ratio > 0
    assert report_of(Tally(60, 30, 10)).ratio is None


def test_elo_is_for_player_a() -> None:
    elos = [report_of(Tally(*tally)).elo for tally in ((75, 25), (25, 75), (5, 0))]
    won, lost, everything = (elo and elo.difference for elo in elos)
    assert won == pytest.approx(190.85, abs=0.01)
    assert lost == pytest.approx(-won)
    assert everything == math.inf


class TestAccuracy:
    GAME = (
        JudgedMove(0, "x", 3, 1, 1),
        JudgedMove(1, "o", 0, -1, -4),  # lost before, lost after
        JudgedMove(2, "x", 6, 4, -2),  # a win thrown away
        None,
        JudgedMove(4, "x", 2, -2, -2),
    )

    def test_moves_count_for_the_player_who_made_them(self) -> None:
        report = report_of(Tally(1, 0), judged=[("x", self.GAME)])
        assert report.judged_games == 1
        assert report.a.accuracy == Accuracy(moves=3, best=2, blunders=1, lost=6)
        assert report.b.accuracy == Accuracy(moves=1, best=0, blunders=0, lost=3)
        turned = report_of(Tally(1, 0), judged=[("o", self.GAME)])
        assert turned.a.accuracy == report.b.accuracy
        assert turned.b.accuracy == report.a.accuracy

    def test_by_ply(self) -> None:
        report = report_of(Tally(2, 0), judged=[("x", self.GAME), ("x", self.GAME)])
        assert list(report.a.plies) == [0, 2, 4]
        assert report.a.plies[2] == Accuracy(moves=2, best=0, blunders=2, lost=12)
        total = report.a.accuracy
        assert total.best_share == pytest.approx(2 / 3)
        assert total.blunder_share == pytest.approx(1 / 3)
        assert total.mean_loss == 2.0
        unknown = report_of(Tally(1, 0), judged=[("x", [None, None])])
        assert (unknown.judged_games, unknown.a.accuracy.best_share) == (0, None)


def test_the_course_of_many_games_has_selected_points() -> None:
    assert course_object(REPORT) == {
        "games": [1, 2, 3, 4],
        "wins": [1, 1, 2, 2],
        "losses": [0, 1, 1, 1],
        "draws": [0, 0, 0, 1],
    }
    results = np.random.default_rng(1).integers(-1, 2, 12_345).tolist()
    report = make_report(match_info(), match_results([(each, True, 7) for each in results]))
    course = course_object(report)
    assert len(course["games"]) == COURSE_POINTS
    assert (course["games"][0], course["games"][-1]) == (1, len(results))
    assert course["wins"][-1] == results.count(1)
    for games, *numbers in zip(*course.values(), strict=True):
        assert sum(numbers) == games
    shown = {"course": course, **match_object(report)}
    assert json.loads(json.dumps(shown, allow_nan=False)) == shown


PLAYED = MatchTally(Tally(1, 1, 0), Tally(2, 0, 0))


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, "done"),
        ({"tally": MatchTally(), "job_state": JobState.RUNNING}, "running"),
        ({"tally": MatchTally(), "job_state": None, "job_id": None}, "unfinished"),
        ({"origin": Origin.IMPORTED}, "imported"),
        ({"origin": Origin.IMPORTED, "is_whole": False}, "broken"),
    ],
)
def test_states_of_matches(changes: dict[str, Any], state: str) -> None:
    match = replace(match_info(), **({"tally": PLAYED} | changes))
    summary = match_summary(match)
    assert summary["state"] == state
    assert summary["planned"] == 4
    assert summary["games"] == match.tally.games
    if match.tally == PLAYED:
        results = {"wins": 3, "losses": 1, "draws": 0, "score": 0.75}
        assert summary["a"] == {"player": "set", **results}
        turned = {"wins": 1, "losses": 3, "draws": 0, "score": 0.25}
        assert summary["b"] == {"player": "random", **turned}
