"""The reports of several matches side by side: standings, all against all, one match a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.arena.statistics import SIGNIFICANT, Tally, holm, standings
from cli.output.render import count, duration
from cli.output.tables import Facts, Table
from cli.reports import figures
from cli.reports.tables import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.arena.statistics import Standing
    from cli.output.tables import Part
    from workers.matches.reports.report import MatchReport

MOST_IN_A_CROSS = 12
"""A table of more players cannot be read."""

FEWEST_IN_A_CROSS = 3
"""With two players the match itself says everything."""

REPEATS = "*"
"""Marks a P that is too small because games repeat."""

MATCH_HEADINGS = (
    "match",
    "A",
    "B",
    "A: won-lost-drawn",
    "of decisive",
    "P",
    "P <= 0.05",
    "different",
    "length",
    "a game",
)


def tournament_parts(reports: Sequence[MatchReport]) -> list[Part]:
    """Everything about several matches."""
    table = tournament_standings(reports)
    parts: list[Part] = []
    if any(standing.results.games for standing in table):
        parts.append(standings_table(table))
    players = [short(standing.player) for standing in table]
    results = scores(reports)
    number = len(players)
    if FEWEST_IN_A_CROSS <= number <= MOST_IN_A_CROSS and len(results) == number * (number - 1):
        parts.append(cross_table(players, results))
    parts += [match_table(reports), Facts(_facts(reports))]
    return parts


def tournament_standings(reports: Sequence[MatchReport]) -> list[Standing]:
    """Everybody by rating."""
    return standings(
        (report.a.description, report.b.description, report.a.results) for report in reports
    )


def standings_table(table: Sequence[Standing]) -> Table:
    """Standings with ratings."""
    rows = [
        [
            f"{place}. {short(standing.player)}",
            f"{standing.results.games:,}",
            f"{standing.results.wins:,}",
            f"{standing.results.losses:,}",
            f"{standing.results.draws:,}",
            figures.percent(standing.results.score),
            figures.signed(standing.rating),
        ]
        for place, standing in enumerate(table, 1)
    ]
    headings = ("player", "games", "won", "lost", "drawn", "score", "Elo")
    return Table(headings, rows, title="Standings (Elo: 0 is the average of all)")


def scores(reports: Sequence[MatchReport]) -> dict[tuple[str, str], Tally]:
    """Everybody's results against everybody, by short description."""
    found: dict[tuple[str, str], Tally] = {}
    for report in reports:
        a, b = short(report.a.description), short(report.b.description)
        if a == b:
            continue
        results = report.a.results
        add_results(found, (a, b), results)
        add_results(found, (b, a), results.reversed())
    return found


def add_results(found: dict[tuple[str, str], Tally], pair: tuple[str, str], seen: Tally) -> None:
    """Add the results of a match between two players to those of the matches before."""
    found[pair] = found.get(pair, Tally(0, 0)) + seen


def cross_table(players: Sequence[str], results: dict[tuple[str, str], Tally]) -> Table:
    """The score of the player of the row against that of the column."""
    rows = []
    for place, player in enumerate(players, 1):
        cells = []
        for other in players:
            found = results.get((player, other))
            cells.append("" if found is None else figures.percent(found.score))
        rows.append([f"{place}. {player}", *cells])
    headings = ["", *(f"{place}." for place in range(1, len(players) + 1))]
    return Table(headings, rows, title="Score of the row's player against the column's")


def match_table(reports: Sequence[MatchReport]) -> Table:
    """One match a row."""
    judged = any(report.judged_games for report in reports)
    headings = [*MATCH_HEADINGS, *(("A best moves", "B best moves") if judged else ())]
    rows = []
    for report in reports:
        results = report.a.results
        leader = f" {report.leader.upper()}" if report.leader else ""
        row = [
            str(report.match.id),
            short(report.a.description),
            short(report.b.description),
            figures.tally(results),
            f"{figures.percent(report.decisive_rate)}{leader}",
            figures.chance(report.p_two_sided) + (REPEATS if report.is_repetitive else ""),
            "yes" if report.is_significant else "no",
            f"{report.distinct:,} of {report.games:,}",
            figures.mean(report.mean_length, 1),
            figures.span(report.seconds_per_game),
        ]
        if judged:
            row += [figures.percent(report.a.accuracy.best_share)]
            row += [figures.percent(report.b.accuracy.best_share)]
        rows.append(row)
    return Table(headings, rows, left=3, title=_title(reports))


def _title(reports: Sequence[MatchReport]) -> str:
    texts = {figures.seats_text(report.match.terms.seats) for report in reports}
    return f"Matches ({texts.pop()})" if len(texts) == 1 else "Matches"


def _facts(reports: Sequence[MatchReport]) -> list[tuple[str, str]]:
    games = sum(report.games for report in reports)
    seconds = sum(report.seconds for report in reports)
    items = [
        ("games", f"{games:,} in {count(len(reports), 'match', 'matches')}"),
        ("P", _significant_text(reports)),
    ]
    repetitive = sum(report.is_repetitive for report in reports)
    if repetitive:
        items.append(
            (REPEATS, f"games repeat in {count(repetitive, 'match', 'matches')}: P is too small")
        )
    if seconds:
        items.append(("time", f"{duration(seconds)} of play"))
    return items


def _significant_text(reports: Sequence[MatchReport]) -> str:
    """How many matches are significant one by one, and how many of all the tests together."""
    tests = [report.p_two_sided for report in reports if report.p_two_sided is not None]
    alone = sum(report.is_significant for report in reports)
    together = sum(p <= SIGNIFICANT for p in holm(tests))
    return (
        f"two-sided; significant at {SIGNIFICANT} in {count(alone, 'match', 'matches')}, "
        f"in {together} after Holm's correction for {count(len(tests), 'test')}"
    )
