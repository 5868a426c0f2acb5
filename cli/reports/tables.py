"""The report of a match for people: tables and facts.

The players are called A and B because their descriptions can be long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from c4core.arena.statistics import SIGNIFICANT, Tally, holm, standings
from c4core.players import PlayerError, parse_player
from cli.output import render
from cli.output.tables import Facts, Table
from db.records.matches import Origin
from workers.text import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.arena.judging import Accuracy
    from c4core.arena.statistics import Standing
    from cli.output.tables import Part
    from workers.match.report import MatchReport

RESULT_HEADINGS = ("games", "won", "lost", "drawn", "score")
TIME_HEADING = "a move"
ACCURACY_HEADINGS = ("best moves", "blunders", "lost/move")

SEATS = {
    "fixed": "A moves first",
    "alternate": "they take turns to move first",
    "random": "the first mover is random",
}
"""The first mover of a match, in words."""


def match_parts(report: MatchReport, *, by_ply: bool = False) -> list[Part]:
    """The complete report of a match."""
    parts: list[Part] = [Facts(heading(report)), player_table(report), Facts(facts(report))]
    if by_ply and report.judged_games:
        parts.append(ply_table(report))
    return parts


def short(description: str) -> str:
    """The shortest description of a player; unchanged if this version has no such player."""
    try:
        return parse_player(description, checked=False).text
    except PlayerError:
        return description


def heading(report: MatchReport) -> list[tuple[str, str]]:
    """The match, and the descriptions of A and B."""
    match = report.match
    label = f" ({match.label})" if match.label else ""
    return [
        ("match", f"{match.id}{label}"),
        ("A", short(report.a.description)),
        ("B", short(report.b.description)),
    ]


def player_table(report: MatchReport) -> Table:
    """Each player's results; also those as x and as o, if both players have moved first."""
    judged = report.judged_games > 0
    headings = ["", *RESULT_HEADINGS, TIME_HEADING, *(ACCURACY_HEADINGS if judged else ())]
    rows: list[list[str]] = []
    both_seats = report.a.as_x.games > 0 and report.a.as_o.games > 0
    for name, player in (("A", report.a), ("B", report.b)):
        accuracy = accuracy_cells(player.accuracy) if judged else []
        rows.append(
            [name, *_result_cells(player.results), render.span(player.seconds_per_move), *accuracy]
        )
        if both_seats:
            nothing = [""] * (1 + len(accuracy))
            rows.append([" as x", *_result_cells(player.as_x), *nothing])
            rows.append([" as o", *_result_cells(player.as_o), *nothing])
    return Table(headings, rows)


def accuracy_cells(accuracy: Accuracy) -> list[str]:
    """Share of best moves, share of blunders, and mean loss."""
    return [
        render.percent(accuracy.best_share),
        render.percent(accuracy.blunder_share),
        render.mean(accuracy.mean_loss),
    ]


def facts(report: MatchReport) -> list[tuple[str, str]]:
    """The results of all games together."""
    return [
        ("games", _games_text(report)),
        *_forfeit_facts(report),
        ("x", f"{render.tally(report.first_mover)} (won-lost-drawn by who moved first)"),
        ("decisive", _decisive_text(report)),
        ("P", p_text(report)),
        *_repeat_facts(report),
        ("Elo", f"{render.elo(report.elo)} for A" if report.elo else render.NOTHING),
        *_test_facts(report),
        *_length_facts(report),
        *_time_facts(report),
        ("judged", _judged_text(report)),
    ]


def ply_table(report: MatchReport) -> Table:
    """The accuracy by the number of stones on the board."""
    headings = ["stones"]
    for name in ("A", "B"):
        headings += [f"{name} moves", *(f"{name} {heading}" for heading in ACCURACY_HEADINGS)]
    rows = []
    for ply in sorted({*report.a.plies, *report.b.plies}):
        row = [str(ply)]
        for player in (report.a, report.b):
            accuracy = player.plies.get(ply)
            cells = ["", "", "", ""]
            if accuracy is not None:
                cells = [f"{accuracy.moves:,}", *accuracy_cells(accuracy)]
            row += cells
        rows.append(row)
    return Table(headings, rows, left=0, title="Accuracy by stones on the board")


def p_text(report: MatchReport) -> str:
    """The two-sided p-value with its verdict, and the one-sided p-value."""
    if report.p_two_sided is None:
        return "- (no decisive game)"
    verdict = "significant at 0.05" if report.is_significant else "not significant at 0.05"
    return (
        f"{render.chance(report.p_two_sided)} two-sided, {verdict}; "
        f"{render.chance(report.p_one_sided)} one-sided"
    )


def _repeat_facts(report: MatchReport) -> list[tuple[str, str]]:
    if report.p_two_sided is None or not report.is_repetitive:
        return []
    repeats = report.games - report.distinct
    are = "repeats an earlier one" if repeats == 1 else "repeat earlier ones"
    text = f"{repeats:,} of {count(report.games, 'game')} {are}, so P is too small"
    return [("repeats", text)]


def _result_cells(results: Tally) -> list[str]:
    return [
        f"{results.games:,}",
        f"{results.wins:,}",
        f"{results.losses:,}",
        f"{results.draws:,}",
        render.percent(results.score),
    ]


def _games_text(report: MatchReport) -> str:
    match = report.match
    terms = match.terms
    text = f"{report.games:,}"
    if match.origin is Origin.IMPORTED:
        text = f"{text} imported, {report.distinct:,} of them different"
        unfinished = terms.games - report.games if match.is_finished else 0
        if unfinished:
            text += f", {unfinished:,} unfinished {'is' if unfinished == 1 else 'are'} not counted"
        return text
    if report.games != terms.games:
        text += f" of {terms.games:,}"
    begin = f" from a position of {count(terms.start.ply, 'stone')}" if terms.start.ply else ""
    return (
        f"{text} on {terms.board}{begin}, {report.distinct:,} of them different; "
        f"{SEATS[terms.seats]}; seed {terms.seed}"
    )


def _forfeit_facts(report: MatchReport) -> list[tuple[str, str]]:
    lost = [
        f"{name} {player.forfeits:,}"
        for name, player in (("A", report.a), ("B", report.b))
        if player.forfeits
    ]
    if not lost:
        return []
    return [
        ("forfeits", f"{', '.join(lost)} (games given up, or lost by a failure)"),
        *(("", failure) for failure in report.failures),
    ]


def _decisive_text(report: MatchReport) -> str:
    results, interval = report.a.results, report.decisive_interval
    if interval is None:
        return "none"
    wins = max(results.wins, results.losses)
    name = "A" if results.wins >= results.losses else "B"
    share = render.percent(report.decisive_rate)
    return (
        f"{name} won {wins:,} of {results.decisive:,}, {share} "
        f"(95% sure: {render.percent_interval(interval)})"
    )


def _test_facts(report: MatchReport) -> list[tuple[str, str]]:
    sprt, ratio = report.match.terms.sprt, report.ratio
    if sprt is None or ratio is None:
        return []
    state = {
        "H0": f"decided: A is not better by {sprt.elo1:g} Elo, rather by {sprt.elo0:g} (H0)",
        "H1": f"decided: A is better by {sprt.elo1:g} Elo rather than {sprt.elo0:g} (H1)",
        None: f"{sprt.elo0:g} or {sprt.elo1:g} Elo is not decided",
    }[report.match.verdict]
    return [("SPRT", f"{state}; ratio {ratio:.2f} (bounds {sprt.lower:.2f} and {sprt.upper:.2f})")]


def _length_facts(report: MatchReport) -> list[tuple[str, str]]:
    if report.mean_length is None:
        return []
    return [
        ("length", f"{report.mean_length:.1f} moves, from {report.shortest} to {report.longest}")
    ]


def _time_facts(report: MatchReport) -> list[tuple[str, str]]:
    if not report.seconds:
        return []
    text = (
        f"{render.span(report.seconds)} of play: {render.span(report.seconds_per_game)} a game, "
        f"{render.span(report.seconds_per_move)} a move, "
        f"{render.rate(report.games_per_second)} games/s"
    )
    if report.elapsed is not None:
        text += f"; done in {render.duration(report.elapsed)}"
    return [("time", text)]


def _judged_text(report: MatchReport) -> str:
    moves = report.a.accuracy.moves + report.b.accuracy.moves
    if not moves:
        return "no moves (--judge N compares them with exact scores)"
    text = f"{count(moves, 'move')} of {count(report.judged_games, 'game')}, by exact scores"
    return f"{text}; from {report.judged_from} stones on" if report.judged_from else text


MOST_IN_A_CROSS = 12

FEWEST_IN_A_CROSS = 3

REPEATS = "*"
"""Marks a p-value that is too small because games repeat."""

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
    """The complete report of several matches."""
    table = tournament_standings(reports)
    parts: list[Part] = []
    if any(standing.results.games for standing in table):
        parts.append(standings_table(table))
    players = [short(standing.player) for standing in table]
    results = scores(reports)
    number = len(players)
    if FEWEST_IN_A_CROSS <= number <= MOST_IN_A_CROSS and len(results) == number * (number - 1):
        parts.append(cross_table(players, results))
    parts += [match_table(reports), Facts(_tournament_facts(reports))]
    return parts


def tournament_standings(reports: Sequence[MatchReport]) -> list[Standing]:
    """All players by rating."""
    return standings(
        (report.a.description, report.b.description, report.a.results) for report in reports
    )


def standings_table(table: Sequence[Standing]) -> Table:
    """The standings with ratings."""
    rows = [
        [
            f"{place}. {short(standing.player)}",
            f"{standing.results.games:,}",
            f"{standing.results.wins:,}",
            f"{standing.results.losses:,}",
            f"{standing.results.draws:,}",
            render.percent(standing.results.score),
            render.signed(standing.rating),
        ]
        for place, standing in enumerate(table, 1)
    ]
    headings = ("player", "games", "won", "lost", "drawn", "score", "Elo")
    return Table(headings, rows, title="Standings (Elo: 0 is the average of all)")


def scores(reports: Sequence[MatchReport]) -> dict[tuple[str, str], Tally]:
    """The results of every pair of players, by short description."""
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
    """Add a match's results to the pair's earlier results."""
    found[pair] = found.get(pair, Tally(0, 0)) + seen


def cross_table(players: Sequence[str], results: dict[tuple[str, str], Tally]) -> Table:
    """The score of the row's player against the column's."""
    rows = []
    for place, player in enumerate(players, 1):
        cells = []
        for other in players:
            found = results.get((player, other))
            cells.append("" if found is None else render.percent(found.score))
        rows.append([f"{place}. {player}", *cells])
    headings = ["", *(f"{place}." for place in range(1, len(players) + 1))]
    return Table(headings, rows, title="Score of the row's player against the column's")


def match_table(reports: Sequence[MatchReport]) -> Table:
    """A table with one row per match."""
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
            render.tally(results),
            f"{render.percent(report.decisive_rate)}{leader}",
            render.chance(report.p_two_sided) + (REPEATS if report.is_repetitive else ""),
            "yes" if report.is_significant else "no",
            f"{report.distinct:,} of {report.games:,}",
            render.mean(report.mean_length, 1),
            render.span(report.seconds_per_game),
        ]
        if judged:
            row += [render.percent(report.a.accuracy.best_share)]
            row += [render.percent(report.b.accuracy.best_share)]
        rows.append(row)
    return Table(headings, rows, left=3, title=_title(reports))


def _title(reports: Sequence[MatchReport]) -> str:
    texts = {SEATS[report.match.terms.seats] for report in reports}
    return f"Matches ({texts.pop()})" if len(texts) == 1 else "Matches"


def _tournament_facts(reports: Sequence[MatchReport]) -> list[tuple[str, str]]:
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
        items.append(("time", f"{render.duration(seconds)} of play"))
    return items


def _significant_text(reports: Sequence[MatchReport]) -> str:
    """The number of matches significant on their own, and after correction for multiple tests."""
    tests = [report.p_two_sided for report in reports if report.p_two_sided is not None]
    alone = sum(report.is_significant for report in reports)
    together = sum(p <= SIGNIFICANT for p in holm(tests))
    return (
        f"two-sided; significant at {SIGNIFICANT} in {count(alone, 'match', 'matches')}, "
        f"in {together} after Holm's correction for {count(len(tests), 'test')}"
    )
