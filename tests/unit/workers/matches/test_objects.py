"""Matches as JSON objects: what a list says of them, and how they went on."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from c4core.arena.statistics import Tally
from db.records.jobs import JobState
from db.records.matches import MatchTally, Origin
from tests.support.reports import match_info, match_results
from workers.matches.reports.objects import (
    COURSE_POINTS,
    course_object,
    match_object,
    match_state,
    match_summary,
)
from workers.matches.reports.report import make_report


def test_a_course_of_few_games_has_all_of_them() -> None:
    games = [(1, True, 7), (-1, True, 8), (1, False, 10), (0, False, 42)]
    assert course_object(make_report(match_info(), match_results(games))) == {
        "games": [1, 2, 3, 4],
        "wins": [1, 1, 2, 2],
        "losses": [0, 1, 1, 1],
        "draws": [0, 0, 0, 1],
    }


def test_a_course_of_many_games_has_some_points() -> None:
    results = np.random.default_rng(1).integers(-1, 2, 12_345).tolist()
    report = make_report(match_info(), match_results([(each, True, 7) for each in results]))
    course = course_object(report)
    assert len(course["games"]) == COURSE_POINTS
    assert (course["games"][0], course["games"][-1]) == (1, len(results))
    assert course["wins"][-1] == results.count(1)
    for games, *numbers in zip(*course.values(), strict=True):
        assert sum(numbers) == games
    json.dumps(course, allow_nan=False)


def test_no_games() -> None:
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
def test_states(changes: dict[str, Any], idle: dict[int, str], state: str) -> None:
    played = MatchTally(Tally(1, 1, 0), Tally(2, 0, 0))
    match = replace(match_info(), **({"tally": played} | changes))
    assert match_state(match, idle) == state
    summary = match_summary(match, idle)
    assert summary["state"] == state
    assert summary["planned"] == 4
    assert summary["games"] == match.tally.games


def test_both_players_of_a_summary() -> None:
    match = replace(match_info(), tally=MatchTally(Tally(1, 1, 0), Tally(2, 0, 0)))
    summary = match_summary(match, {})
    assert summary["a"] == {"player": "set", "wins": 3, "losses": 1, "draws": 0, "score": 0.75}
    assert summary["b"] == {"player": "random", "wins": 1, "losses": 3, "draws": 0, "score": 0.25}


def test_a_report_is_json() -> None:
    report = make_report(match_info(), match_results([(1, True, 7)]))
    assert json.loads(json.dumps(match_object(report), allow_nan=False))["games"] == 1
