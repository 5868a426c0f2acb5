"""The report of a match: results, significance, time and accuracy; matches as JSON objects."""

from __future__ import annotations

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
    match_state,
    match_summary,
)

GAMES = [(1, True, 7), (-1, True, 8), (1, False, 10), (0, False, 42)]
"""Player a's result, whether it moved first, and the number of moves."""


def test_results_by_seat() -> None:
    report = make_report(match_info(), match_results(GAMES))
    assert report.a.as_x == Tally(1, 1, 0)
    assert report.a.as_o == Tally(1, 0, 1)
    assert report.a.results == Tally(2, 1, 1)
    assert report.b.as_x == Tally(0, 1, 1)
    assert report.b.as_o == Tally(1, 1, 0)
    assert report.b.results == report.a.results.reversed()
    assert report.first_mover == Tally(1, 2, 1)
    assert report.games == 4
    assert report.leader == "a"


def test_moves_and_times() -> None:
    report = make_report(match_info(), match_results(GAMES))
    # a moved 4 + 4 times with x, and 5 + 21 times with o.
    assert (report.a.moves, report.b.moves) == (34, 33)
    assert (report.a.seconds_per_move, report.b.seconds_per_move) == (1.0, 2.0)
    assert report.seconds == 34 + 66
    assert report.seconds_per_game == 25
    assert report.seconds_per_move == pytest.approx(100 / 67)
    assert report.games_per_second == 0.04
    assert (report.mean_length, report.shortest, report.longest) == (67 / 4, 7, 42)


@pytest.mark.parametrize("impossible", [math.inf, -math.inf, math.nan, 1.7e308, 1e300, -1.0])
def test_impossible_times_count_as_unknown(impossible: float) -> None:
    """A received database may have any times; numpy warns if their sum is not a number."""
    results = match_results(GAMES)
    results.a_seconds[1:] = impossible
    results.b_seconds[:] = impossible
    report = make_report(match_info(), results)
    assert (report.a.seconds, report.b.seconds, report.seconds) == (4.0, 0.0, 4.0)
    assert report.games_per_second == 1.0


def test_no_rate_is_infinite() -> None:
    results = match_results(GAMES)
    results.a_seconds[:], results.b_seconds[:] = 5e-324, 0.0
    assert make_report(match_info(), results).games_per_second is None


def test_the_side_to_move_in_the_start_counts() -> None:
    # After an odd number of stones o moves first and has the odd move.
    report = make_report(match_info(start=Position("4")), match_results([(1, True, 7)]))
    assert (report.a.moves, report.b.moves) == (3, 4)


def test_the_blogs_example() -> None:
    report = report_of(Tally(43, 54, 3))
    assert report.leader == "b"
    assert report.decisive_rate == pytest.approx(54 / 97)
    assert report.p_one_sided == pytest.approx(0.155, abs=0.001)
    assert report.p_two_sided == pytest.approx(0.310, abs=0.001)
    assert not report.is_significant
    assert not report.is_repetitive
    interval = report.decisive_interval
    assert interval is not None
    assert interval.low < 54 / 97 < interval.high


def test_repeated_games_are_found() -> None:
    assert report_of(Tally(100, 0), distinct=1).is_repetitive
    assert not report_of(Tally(100, 0), distinct=90).is_repetitive


def test_no_games() -> None:
    report = report_of_nothing()
    assert report.games == 0
    assert (report.p_two_sided, report.elo, report.decisive_rate, report.mean_length) == (None,) * 4
    assert (report.seconds_per_game, report.seconds_per_move, report.games_per_second) == (
        None,
    ) * 3
    assert report.leader is None
    assert not report.is_repetitive


def report_of_nothing() -> object:
    empty = match_results(GAMES)
    nothing = {
        name: getattr(empty, name)[:0] for name in type(empty).__slots__ if name != "distinct"
    }
    return make_report(match_info(), type(empty)(**nothing, distinct=0))


def test_the_sequential_test_is_about_player_a() -> None:
    test = Sprt(0, 100)
    report = report_of(Tally(60, 30, 10), sprt=test)
    assert report.ratio == pytest.approx(test.ratio(Tally(60, 30, 10)))
    assert report.ratio is not None
    assert report.ratio > 0
    assert report_of(Tally(60, 30, 10)).ratio is None


def test_elo_is_for_player_a() -> None:
    won, lost = report_of(Tally(75, 25)).elo, report_of(Tally(25, 75)).elo
    assert won is not None
    assert lost is not None
    assert won.difference == pytest.approx(190.85, abs=0.01)
    assert lost.difference == pytest.approx(-won.difference)
    everything = report_of(Tally(5, 0)).elo
    assert everything is not None
    assert math.isinf(everything.difference)


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

    def test_games_without_scores_are_not_judged(self) -> None:
        report = report_of(Tally(1, 0), judged=[("x", [None, None])])
        assert report.judged_games == 0
        assert report.a.accuracy.best_share is None


def test_the_course_of_few_games_has_all_points() -> None:
    games = [(1, True, 7), (-1, True, 8), (1, False, 10), (0, False, 42)]
    assert course_object(make_report(match_info(), match_results(games))) == {
        "games": [1, 2, 3, 4],
        "wins": [1, 1, 2, 2],
        "losses": [0, 1, 1, 1],
        "draws": [0, 0, 0, 1],
    }


def test_the_course_of_many_games_has_selected_points() -> None:
    results = np.random.default_rng(1).integers(-1, 2, 12_345).tolist()
    report = make_report(match_info(), match_results([(each, True, 7) for each in results]))
    course = course_object(report)
    assert len(course["games"]) == COURSE_POINTS
    assert (course["games"][0], course["games"][-1]) == (1, len(results))
    assert course["wins"][-1] == results.count(1)
    for games, *numbers in zip(*course.values(), strict=True):
        assert sum(numbers) == games
    json.dumps(course, allow_nan=False)


def test_the_report_without_games_as_json() -> None:
    report = make_report(match_info(), match_results([(1, True, 7)]))
    empty = replace(report, course=report.course[:0])
    assert course_object(empty) == {"games": [], "wins": [], "losses": [], "draws": []}


@pytest.mark.parametrize(
    ("changes", "idle", "state"),
    [
        ({}, {}, "done"),
        ({"tally": MatchTally(), "job_state": JobState.RUNNING}, {}, "running"),
        ({"tally": MatchTally(), "job_state": JobState.RUNNING}, {3: "interrupted"}, "interrupted"),
        ({"tally": MatchTally(), "job_state": None, "job_id": None}, {}, "unfinished"),
        ({"origin": Origin.IMPORTED}, {}, "imported"),
        ({"origin": Origin.IMPORTED, "is_whole": False}, {}, "broken"),
    ],
)
def test_states_of_matches(changes: dict[str, Any], idle: dict[int, str], state: str) -> None:
    played = MatchTally(Tally(1, 1, 0), Tally(2, 0, 0))
    match = replace(match_info(), **({"tally": played} | changes))
    assert match_state(match, idle) == state
    summary = match_summary(match, idle)
    assert summary["state"] == state
    assert summary["planned"] == 4
    assert summary["games"] == match.tally.games


def test_a_summary_has_both_players() -> None:
    match = replace(match_info(), tally=MatchTally(Tally(1, 1, 0), Tally(2, 0, 0)))
    summary = match_summary(match, {})
    assert summary["a"] == {"player": "set", "wins": 3, "losses": 1, "draws": 0, "score": 0.75}
    assert summary["b"] == {"player": "random", "wins": 1, "losses": 3, "draws": 0, "score": 0.25}


def test_a_report_is_json() -> None:
    report = make_report(match_info(), match_results([(1, True, 7)]))
    assert json.loads(json.dumps(match_object(report), allow_nan=False))["games"] == 1
