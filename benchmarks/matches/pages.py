"""The tables of ``docs/matches.md``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.matches import summary
from benchmarks.matches.comparison import standard_errors
from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.page import machine_line, table, versions_line
from c4core.arena import statistics
from c4core.arena.statistics import decisive_rate
from cli.reports import figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.matches.match import SourceMatch
    from benchmarks.matches.outcomes import Outcome, Outcomes
    from c4core.arena.statistics import Tally


def sections(outcomes: Outcomes) -> dict[str, str]:
    """The text for every place of the page, by name."""
    texts = {
        "run": run(outcomes),
        "chance": summary.chance(),
        "summary": summary.summary(outcomes),
        "contradictions": summary.contradictions(outcomes),
        "depths": summary.by_depth(outcomes),
    }
    for group in GROUPS:
        texts[group] = group_table(group, outcomes)
    return texts


def run(outcomes: Outcomes) -> str:
    """The machine, the versions and the day of the matches."""
    played = [*outcomes.matches, *outcomes.longer]
    games = sum(outcome.results.games for outcome in played)
    seconds = sum(outcome.seconds for outcome in played)
    commands = ", ".join(f"`{command}`" for command in outcomes.commands)
    return "\n".join(
        [
            f"- Day: {outcomes.date}",
            machine_line(outcomes.machine),
            versions_line(outcomes.versions),
            f"- Commands: {commands}",
            f"- {games:,} games in {len(played)} matches, {seconds:,.0f} s of play",
        ]
    )


def group_table(group: str, outcomes: Outcomes) -> str:
    """The matches of one table of a source."""
    matches = [match for match in all_matches() if match.group == group]
    headings = (
        "A",
        "B",
        "source: A won-lost-drawn",
        "here",
        "source: decisive, P",
        "here: decisive, P",
        "different games",
        "a game",
        "apart",
        "more games",
        "decisive, P",
        "different",
        "apart",
        "",
    )
    return table(headings, [*_rows(matches, outcomes)], left=2, title=_title(group, matches))


def _title(group: str, matches: Sequence[SourceMatch]) -> str:
    seats = {figures.seats_text(match.seats) for match in matches}
    return f"{GROUPS[group]} ({', '.join(sorted(seats))})"


def _rows(matches: Sequence[SourceMatch], outcomes: Outcomes) -> Iterator[list[str]]:
    for match in matches:
        outcome = outcomes.find(match.name)
        longer = outcomes.find(match.name, longer=True)
        yield [
            match.a,
            match.b,
            figures.NOTHING if match.reported is None else figures.tally(match.reported),
            figures.NOTHING if outcome is None else figures.tally(outcome.results),
            _decisive(match.reported),
            _decisive(None if outcome is None else outcome.results),
            _distinct(outcome),
            figures.NOTHING if outcome is None else figures.span(outcome.seconds_per_game),
            _apart(match, outcome),
            figures.NOTHING if longer is None else figures.tally(longer.results),
            _decisive(None if longer is None else longer.results),
            _distinct(longer),
            _apart(match, longer),
            _note(match, outcome),
        ]


def _decisive(results: Tally | None) -> str:
    """The leader's share of decisive games, and the two-sided P: ``60.9% A, 0.053``."""
    if results is None or not results.decisive:
        return figures.NOTHING
    ahead = (results.wins > results.losses) - (results.wins < results.losses)
    leader = {1: " A", -1: " B", 0: ""}[ahead]
    share = figures.percent(decisive_rate(results))
    mark = " *" if statistics.is_significant(results) else ""
    return f"{share}{leader}, {figures.chance(statistics.two_sided_p(results))}{mark}"


def _distinct(outcome: Outcome | None) -> str:
    if outcome is None:
        return figures.NOTHING
    games = outcome.results.games
    text = f"{outcome.distinct:,} of {games:,}"
    return f"{text} !" if statistics.is_repetitive(outcome.distinct, games) else text


def _apart(match: SourceMatch, outcome: Outcome | None) -> str:
    if match.reported is None or outcome is None:
        return figures.NOTHING
    return f"{standard_errors(match.reported, outcome.results):+.1f}"


def _note(match: SourceMatch, outcome: Outcome | None) -> str:
    """The remark on a match, and whether it counts in the summary."""
    parts = [match.note] if match.note else []
    if match.reading_of:
        parts.append("the result is counted once")
    if outcome is None:
        parts.append("not played yet")
    return "; ".join(parts)
