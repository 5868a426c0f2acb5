"""Reports as people and programs see them."""

import json
from typing import Any

import pytest

from c4core.arena.judging import JudgedMove
from c4core.arena.statistics import Elo, Interval, Sprt, Tally
from cli.output.tables import Facts, Table, markdown_lines, text_lines
from cli.reports import figures
from cli.reports.crosstable import tournament_parts
from cli.reports.objects import match_row
from cli.reports.view import match_parts
from tests.support.reports import report_of
from workers.matches.reports.objects import match_object
from workers.matches.reports.report import MatchReport


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
def test_chances(p: float | None, text: str) -> None:
    assert figures.chance(p) == text


def test_other_figures() -> None:
    infinite = float("inf")
    assert figures.percent(0.6124) == "61.2%"
    assert figures.percent_interval(Interval(0.798, 0.929)) == "79.8 to 92.9%"
    assert figures.elo(Elo(330.4, 250, 433)) == "+330 (+250 to +433)"
    assert figures.elo(Elo(-infinite, -infinite, -infinite)).startswith("-inf (one side")
    assert figures.signed(-0.2) == "0"
    assert figures.span(0.00000031) == "0.31 µs"
    assert figures.span(1.5) == "1.50 s"
    assert figures.span(0.0) == figures.span(None) == "-"


def test_tables_are_aligned() -> None:
    table = Table(("player", "won"), [("a", "1"), ("somebody", "1,000")], title="Who")
    lines = list(text_lines([table, Facts([("P", "0.5"), ("games", "3")])]))
    assert lines == [
        "Who",
        "player      won",
        "a             1",
        "somebody  1,000",
        "",
        "P      0.5",
        "games  3",
    ]


def test_markdown() -> None:
    table = Table(("player", "won"), [("a|b\nc", "1")], title="Who")
    assert list(markdown_lines([table, Facts([("P", "0.5")])])) == [
        "**Who**",
        "",
        "| player | won |",
        "| --- | ---: |",
        "| a\\|b c | 1 |",
        "",
        "|  |  |",
        "| --- | --- |",
        "| P | 0.5 |",
    ]


def text_of(report: MatchReport, **options: Any) -> str:  # noqa: ANN401
    return "\n".join(text_lines(match_parts(report, **options)))


def test_a_match() -> None:
    text = text_of(report_of(Tally(12, 86, 2), player_a="set", player_b="blog-v6:depth=3"))
    assert "B      blog-v6:depth=3" in text
    assert "B won 86 of 98, 87.8% (95% sure: 79.8 to 92.9%)" in text
    assert "< 0.000001 two-sided, significant at 0.05; < 0.000001 one-sided" in text
    assert "P is too small" not in text
    assert "no moves (--judge N" in text
    assert max(map(len, text.splitlines())) <= 100


def test_repeated_games_are_told_beside_p() -> None:
    text = text_of(report_of(Tally(98, 2), distinct=2))
    (line,) = [line for line in text.splitlines() if line.startswith("repeats ")]
    assert "only 2 of 100 games are no repeats, so P is too small" in line
    assert max(map(len, text.splitlines())) <= 100
    assert "only 1 of 2 games is not a repeat, so" in text_of(report_of(Tally(2, 0), distinct=1))


def test_both_kinds_of_p() -> None:
    named_before = report_of(Tally(53, 34, 13))
    assert "0.053 two-sided, not significant at 0.05; 0.027 one-sided" in text_of(named_before)
    assert "- (no decisive game)" in text_of(report_of(Tally(0, 0, 9), distinct=1))
    assert "repeats" not in text_of(report_of(Tally(0, 0, 9), distinct=1))
    fields = match_object(named_before)
    assert fields["p_two_sided"] == 2 * fields["p_one_sided"]
    assert not fields["significant"]
    row = match_row(named_before)
    assert {name: row[name] for name in ("p_two_sided", "p_one_sided", "significant")} == {
        name: fields[name] for name in ("p_two_sided", "p_one_sided", "significant")
    }


def test_the_sequential_test() -> None:
    assert "0 or 20 Elo is not decided; ratio" in text_of(report_of(Tally(5, 5), sprt=Sprt()))


def test_accuracy() -> None:
    moves = [JudgedMove(0, "x", 3, 1, 1), JudgedMove(1, "o", 0, 0, -4)]
    text = text_of(report_of(Tally(1, 0), judged=[("x", moves)]), by_ply=True)
    rows = [line.split() for line in text.splitlines()]
    assert ["A", "1", "1", "0", "0", "100.0%", "1.00", "s", "100.0%", "0.0%", "0.00"] in rows
    assert ["B", "1", "0", "1", "0", "0.0%", "2.00", "s", "0.0%", "100.0%", "4.00"] in rows
    assert "Accuracy by stones on the board" in text
    assert ["0", "1", "100.0%", "0.0%", "0.00"] in rows


def test_for_programs() -> None:
    moves = [JudgedMove(0, "x", 3, 1, 1), JudgedMove(1, "o", 0, 0, -4)]
    report = report_of(Tally(5, 0), judged=[("x", moves)], sprt=Sprt())
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


class TestTournament:
    REPORTS = (
        report_of(Tally(9, 1), player_a="set", player_b="random"),
        report_of(Tally(7, 3), player_a="set", player_b="stupid", distinct=2),
        report_of(Tally(6, 4), player_a="stupid", player_b="random"),
    )

    def test_everybody_in_order(self) -> None:
        parts = tournament_parts(self.REPORTS)
        standings, cross, matches, facts = parts
        assert isinstance(standings, Table)
        assert [row[0] for row in standings.rows] == ["1. set", "2. stupid", "3. random"]
        assert standings.rows[0][1:5] == ["20", "16", "4", "0"]
        assert isinstance(cross, Table)
        assert cross.rows[0] == ["1. set", "", "70.0%", "90.0%"]
        assert cross.rows[2] == ["3. random", "10.0%", "40.0%", ""]
        assert isinstance(matches, Table)
        assert matches.title == "Matches (A moves first)"
        assert matches.rows[0][3:7] == ["9-1-0", "90.0% A", "0.021", "yes"]
        assert matches.rows[1][5] == "0.344*"
        assert isinstance(facts, Facts)
        assert ("*", "games repeat in 1 match: P is too small") in facts.items
        words = "significant at 0.05 in 1 match, in 0 after Holm's correction for 3 tests"
        assert ("P", f"two-sided; {words}") in facts.items

    def test_a_grid_has_no_cross_table(self) -> None:
        parts = tournament_parts(self.REPORTS[:2])
        assert not any(isinstance(part, Table) and "against" in part.title for part in parts)

    def test_oneself_is_no_opponent(self) -> None:
        mirror = report_of(Tally(6, 4), player_a="set", player_b="set")
        parts = tournament_parts([mirror])
        assert len(parts) == 2
        assert isinstance(parts[0], Table)
        assert parts[0].rows[0][1:4] == ["set", "set", "6-4-0"]
