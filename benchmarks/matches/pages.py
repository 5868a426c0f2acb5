"""The tables of ``docs/matches.md``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.page import machine_line, table, versions_line
from c4core.arena import statistics
from cli.reports import figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.matches.outcomes import Outcome, Outcomes
    from benchmarks.matches.sources import SourceMatch
    from c4core.arena.statistics import Tally

CLOSE: Final = 2.0
"""Up to this many standard errors, chance alone explains the difference well."""

FAR: Final = 3.0
"""Beyond this many standard errors, chance alone is an unlikely explanation."""

ENOUGH_DISTINCT: Final = 0.9


def sections(outcomes: Outcomes) -> dict[str, str]:
    """The text for every place of the page, by name."""
    texts = {"run": run(outcomes), "summary": summary(outcomes)}
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


def summary(outcomes: Outcomes) -> str:
    """The number of confirmed reports, and the others by name."""
    texts = [_summary(outcomes, longer=False)]
    if outcomes.longer:
        texts += ["With more games:", _summary(outcomes, longer=True)]
    return "\n\n".join(texts)


def _summary(outcomes: Outcomes, *, longer: bool) -> str:
    found = [
        (match, apart, verdicts_agree(match.reported, outcome.results))
        for match in all_matches()
        for outcome in [outcomes.find(match.name, longer=longer)]
        if outcome is not None and match.reported is not None
        for apart in [standard_errors(match.reported, outcome.results)]
    ]
    close = sum(abs(apart) <= CLOSE for _, apart, _ in found)
    far = [match for match, apart, _ in found if abs(apart) > FAR]
    agree = sum(agrees for *_, agrees in found)
    borne_out = (
        f"Of {len(found)} matches with numbers {close} came out within {CLOSE:g} standard errors "
        f"of what their source reports, {len(far)} further away than {FAR:g}; in {agree} the "
        "verdict at P = 0.05 is the same, for the same side."
    )
    lines = [borne_out]
    if far:
        named = "; ".join(f"`{match.a}` - `{match.b}`" for match in far)
        lines.append(f"Further away: {named}.")
    return "\n\n".join(lines)


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


def standard_errors(one: Tally, other: Tally) -> float:
    """The difference of the scores of two samples, in standard errors of the difference.

    Both samples are assumed to come from one distribution. 0 if all results are equal.
    """
    together = one + other
    mean = together.score
    if mean is None or one.score is None or other.score is None:
        return 0.0
    squares = (
        together.wins * (1 - mean) ** 2
        + together.draws * (0.5 - mean) ** 2
        + together.losses * mean**2
    )
    variance = squares / together.games * (1 / one.games + 1 / other.games)
    return (other.score - one.score) / math.sqrt(variance) if variance else 0.0


def verdicts_agree(one: Tally, other: Tally) -> bool:
    """Whether two samples lead to the same verdict: no side is better, or the same side is."""
    return _verdict(one) == _verdict(other)


def _verdict(results: Tally) -> int:
    if not statistics.is_significant(results):
        return 0
    return 1 if results.wins > results.losses else -1


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
            match.note or ("not played yet" if outcome is None else ""),
        ]


def _decisive(results: Tally | None) -> str:
    """The leader's share of decisive games, and P: ``60.9% A, 0.027 *``."""
    if results is None or not results.decisive:
        return figures.NOTHING
    ahead = (results.wins > results.losses) - (results.wins < results.losses)
    leader = {1: " A", -1: " B", 0: ""}[ahead]
    share = figures.percent(statistics.decisive_rate(results))
    mark = " *" if statistics.is_significant(results) else ""
    return f"{share}{leader}, {figures.chance(statistics.binomial_p(results))}{mark}"


def _distinct(outcome: Outcome | None) -> str:
    if outcome is None:
        return figures.NOTHING
    games = outcome.results.games
    text = f"{outcome.distinct:,} of {games:,}"
    return f"{text} !" if outcome.distinct < ENOUGH_DISTINCT * games else text


def _apart(match: SourceMatch, outcome: Outcome | None) -> str:
    if match.reported is None or outcome is None:
        return figures.NOTHING
    return f"{standard_errors(match.reported, outcome.results):+.1f}"
