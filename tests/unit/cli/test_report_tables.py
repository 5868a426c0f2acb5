"""Reports for people and for programs."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from c4core.arena.judging import JudgedMove
from c4core.arena.statistics import Elo, Interval, Sprt, Tally
from cli.output import render
from cli.output.tables import Facts, Table, markdown_lines, text_lines
from cli.reports.matches import match_row
from cli.reports.tables import match_parts, tournament_parts
from tests.support.reports import report_of
from workers.match.report import MatchReport, match_object


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (None, "-"),
        (1.0, "1.000"),
        (0.15743994552, "0.157"),
        (0.027, "0.027"),
        (0.0044, "0.0044"),
        (0.000066, "0.000066"),
        (0.0000009, "< 0.000001"),
        (0.0, "< 0.000001"),
    ],
)
def test_format_of_probabilities(p: float | None, text: str) -> None:
    assert render.chance(p) == text


def test_format_of_other_figures() -> None:
    infinite = float("inf")
    assert render.percent(0.6124) == "61.2%"
    assert render.percent_interval(Interval(0.798, 0.929)) == "79.8 to 92.9%"
    assert render.elo(Elo(330.4, 250, 433)) == "+330 (+250 to +433)"
    assert render.elo(Elo(-infinite, -infinite, -infinite)).startswith("-inf (one side")
    assert render.signed(-0.2) == "0"
    assert render.span(0.00000031) == "0.31 µs"
    assert render.span(1.5) == "1.50 s"
    assert render.span(0.0) == render.span(None) == "-"


def text_of(report: MatchReport, **options: Any) -> str:  # noqa: ANN401
    text = "\n".join(text_lines(match_parts(report, **options)))
    assert options or max(map(len, text.splitlines())) <= 100
    return text


MOVES = [JudgedMove(0, "x", 3, 1, 1), JudgedMove(1, "o", 0, 0, -4)]
PARTS = [
    Table(("player", "won"), [("a|b\nc", "1"), ("somebody", "1,000")], title="Who"),
    Facts([("P", "0.5"), ("games", "3")]),
]


def test_tables_are_aligned(snapshot: SnapshotAssertion) -> None:
    assert "\n".join(text_lines(PARTS)) == snapshot


def test_markdown(snapshot: SnapshotAssertion) -> None:
    assert "\n".join(markdown_lines(PARTS)) == snapshot


@pytest.mark.parametrize(
    ("results", "terms", "options"),
    [
        pytest.param(Tally(12, 86, 2), {"player_b": "blog-v6:depth=3"}, {}, id="decided"),
        pytest.param(Tally(53, 34, 13), {}, {}, id="undecided"),
        pytest.param(Tally(98, 2), {"distinct": 2}, {}, id="repeats"),
        pytest.param(Tally(2, 0), {"distinct": 1}, {}, id="all but one repeated"),
        pytest.param(Tally(0, 0, 9), {"distinct": 1}, {}, id="no decisive game"),
        pytest.param(Tally(5, 5), {"sprt": Sprt()}, {}, id="sequential test"),
        pytest.param(Tally(1, 0), {"judged": [("x", MOVES)]}, {"by_ply": True}, id="accuracy"),
    ],
)
def test_match_report(
    results: Tally, terms: dict[str, Any], options: dict[str, bool], snapshot: SnapshotAssertion
) -> None:
    assert text_of(report_of(results, **terms), **options) == snapshot


def test_both_kinds_of_p() -> None:
    report = report_of(Tally(53, 34, 13))
    fields = match_object(report)
    assert fields["p_two_sided"] == 2 * fields["p_one_sided"]
    assert not fields["significant"]
    row = match_row(report)
    for name in ("p_two_sided", "p_one_sided", "significant"):
        assert row[name] == fields[name]


def test_report_of_a_match_as_json() -> None:
    report = report_of(Tally(5, 0), judged=[("x", MOVES)], sprt=Sprt())
    fields = json.loads(json.dumps(match_object(report), allow_nan=False))
    assert fields["match"] == 7
    assert fields["a"]["player"] == "set"
    assert (fields["a"]["wins"], fields["b"]["losses"]) == (5, 5)
    assert fields["b"]["accuracy"]["mean_loss"] == 4
    assert fields["b"]["accuracy_by_ply"][0]["ply"] == 1
    assert fields["elo"] == {"difference": None, "low": None, "high": None}
    assert fields["sprt"]["verdict"] is None
    assert fields["terms"]["games"] == 5
    row = match_row(report)
    assert row["leader"] == "a"
    assert (row["a_wins"], row["b_wins"], row["draws"]) == (5, 0, 0)
    assert row["b_blunder_share"] == 1.0


REPORTS = (
    report_of(Tally(9, 1), player_a="set", player_b="random"),
    report_of(Tally(7, 3), player_a="set", player_b="stupid", distinct=2),
    report_of(Tally(6, 4), player_a="stupid", player_b="random"),
)
MIRROR = report_of(Tally(6, 4), player_a="set", player_b="set")


@pytest.mark.parametrize(
    "reports",
    [
        pytest.param(REPORTS, id="players in order"),
        pytest.param(REPORTS[:2], id="no cross table for a grid"),
        pytest.param([MIRROR], id="a player against itself"),
    ],
)
def test_tournament_report(reports: Sequence[MatchReport], snapshot: SnapshotAssertion) -> None:
    assert "\n".join(text_lines(tournament_parts(reports))) == snapshot
