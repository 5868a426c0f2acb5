"""The texts of ``docs/matches-log.md``: all matches, and a summary.

The summary shows how well our results agree with the sources.
"""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Final, Literal

from benchmarks.matches.measure import LONGER, PARTS, SOURCE, outcomes_of
from benchmarks.matches.sources import GROUPS, SourceMatch, all_matches
from benchmarks.page import run_lines, table
from c4core.arena.statistics import (
    SIGNIFICANT,
    Tally,
    is_repetitive,
    is_significant,
    one_sided_p,
    two_sided_p,
)
from cli.output import render
from cli.reports.tables import SEATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from benchmarks.matches.measure import Outcome
    from benchmarks.record import Part

    Outcomes = Mapping[str, Mapping[str, Outcome]]

CLOSE: Final = 2.0
"""Up to this many standard errors, chance alone explains a difference well."""

FAR: Final = 3.0
"""Beyond this many standard errors, chance alone is an unlikely explanation."""

Leader = Literal["a", "b"]

_PLACES: Final[dict[Leader, str]] = {"a": "A above B", "b": "B above A"}


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in the page."""
    outcomes = outcomes_of(parts)
    played = [outcome for part in PARTS for outcome in outcomes[part].values()]
    games = sum(outcome.results.games for outcome in played)
    seconds = sum(outcome.seconds for outcome in played)
    commands = [command for part in parts.values() for command in part.figures["commands"]]
    texts = {
        "run": run_lines(
            replace(max(parts.values(), key=lambda part: part.made.date).made, command=""),
            f"Commands: {', '.join(f'`{command}`' for command in commands)}",
            f"{games:,} games in {len(played)} matches, {seconds:,.0f} s of play",
        ),
        "summary": summary(outcomes),
        "contradictions": contradictions(outcomes),
    }
    return texts | {group: group_table(group, outcomes) for group in GROUPS}


def summary(outcomes: Outcomes) -> str:
    """The number of confirmed results, and the names of the others."""
    texts = [_verdicts_of_sources(), _agreement(outcomes[SOURCE])]
    if outcomes[LONGER]:
        texts += ["With more games:", _agreement(outcomes[LONGER])]
    return "\n\n".join(texts)


def contradictions(outcomes: Outcomes) -> str:
    """The matches in which the better side differs from the source, with a sentence for each.

    A source calls a side better in words, or by a significant result that is more than
    :data:`CLOSE` standard errors away from ours.
    """
    against: list[str] = []
    open_: list[str] = []
    seen: set[str] = set()
    for match in all_matches():
        outcome = outcomes[LONGER].get(match.name) or outcomes[SOURCE].get(match.name)
        if outcome is None or match.result in seen:
            continue
        seen.add(match.result)
        theirs, ours = _claim(match, outcome), leader(outcome.results)
        if theirs is not None and ours != theirs:
            (against if ours else open_).append(f"- {_sentence(match, theirs, outcome)}")
    parts = []
    if against:
        parts += ["The other side is better here, by the two-sided P:", "\n".join(against)]
    if open_:
        parts += ["No side is significantly better here:", "\n".join(open_)]
    return "\n\n".join(parts) or "None."


def _verdicts_of_sources() -> str:
    firsts = {match.result: match.reported for match in all_matches() if match.reported}
    one_sided = _significant(map(one_sided_p, firsts.values()))
    two_sided = _significant(map(two_sided_p, firsts.values()))
    return (
        f"Of the sources' {len(firsts)} results with numbers, {one_sided} are significant at "
        f"{SIGNIFICANT} by the one-sided P that Williams prints, {two_sided} by the two-sided one."
    )


def _significant(chances: Iterable[float | None]) -> int:
    return sum(p is not None and p <= SIGNIFICANT for p in chances)


def _agreement(outcomes: Mapping[str, Outcome]) -> str:
    """The distances from the sources' results; each result of a source counts once.

    If several readings of a source were played, the first one counts: the players' default.
    """
    found: dict[str, tuple[Tally, Tally]] = {}
    for match in all_matches():
        outcome = outcomes.get(match.name)
        if match.reported is not None and outcome is not None:
            found.setdefault(match.result, (match.reported, outcome.results))
    apart = [abs(standard_errors(*both)) for both in found.values()]
    expected = len(found) * (2 * NormalDist().cdf(CLOSE) - 1)
    same = sum(leader(reported) == leader(ours) for reported, ours in found.values())
    return (
        f"Of {len(found)} results with numbers, {sum(each <= CLOSE for each in apart)} are within "
        f"{CLOSE:g} standard errors of the source's result; {expected:.1f} would be expected of "
        f"the same players. {sum(each > FAR for each in apart)} are further away than {FAR:g}. "
        f"In {same} the verdict by the two-sided P is the same, for the same side."
    )


def _claim(match: SourceMatch, outcome: Outcome) -> Leader | None:
    """The side that the source calls better; None if chance may explain the difference."""
    if match.claimed is not None or match.reported is None:
        return match.claimed
    is_close = abs(standard_errors(match.reported, outcome.results)) <= CLOSE
    return None if is_close else leader(match.reported)


def _sentence(match: SourceMatch, theirs: Leader, outcome: Outcome) -> str:
    """The claim of the source, and our result."""
    results = outcome.results
    source = GROUPS[match.group].partition(":")[0]
    said = f"{source} ranks {_PLACES[theirs]}"
    if match.reported is not None:
        said = f"{source} reports {render.tally(match.reported)}, {theirs.upper()} better"
    here = f"here it is {render.tally(results)}"
    p = two_sided_p(results)
    if p is not None:
        here += f" (P {render.chance(p)})"
    if is_repetitive(outcome.distinct, results.games):
        here += f", but only {outcome.distinct:,} of {results.games:,} games are different"
    note = f"; {match.note}" if match.note else ""
    return f"`{match.a}` - `{match.b}`: {said}; {here}{note}."


def group_table(group: str, outcomes: Outcomes) -> str:
    """The matches of one table of a source."""
    matches = [match for match in all_matches() if match.group == group]
    headings = "A | B | source: A won-lost-drawn | here | apart | more games | apart | "
    return table(headings, [*_rows(matches, outcomes)], left=2, title=_title(group, matches))


def _title(group: str, matches: Sequence[SourceMatch]) -> str:
    seats = {SEATS[match.seats] for match in matches}
    return f"{GROUPS[group]} ({', '.join(sorted(seats))})"


def _rows(matches: Sequence[SourceMatch], outcomes: Outcomes) -> Iterator[list[str]]:
    for match in matches:
        outcome, longer = (outcomes[part].get(match.name) for part in PARTS)
        reported = render.NOTHING if match.reported is None else render.tally(match.reported)
        yield [
            match.a,
            match.b,
            reported,
            _tally(outcome),
            _apart(match, outcome),
            _tally(longer),
            _apart(match, longer),
            _note(match, outcome),
        ]


def _tally(outcome: Outcome | None) -> str:
    """The results, with ``!`` if games repeat: ``60-40-0 !``."""
    if outcome is None:
        return render.NOTHING
    repeats = is_repetitive(outcome.distinct, outcome.results.games)
    return f"{render.tally(outcome.results)}{' !' if repeats else ''}"


def _apart(match: SourceMatch, outcome: Outcome | None) -> str:
    if match.reported is None or outcome is None:
        return render.NOTHING
    return f"{standard_errors(match.reported, outcome.results):+.1f}"


def _note(match: SourceMatch, outcome: Outcome | None) -> str:
    """The remark on a match, whether its result is counted once, and whether it was played."""
    parts = [match.note] if match.note else []
    if match.reading_of:
        parts.append("the result is counted once")
    if outcome is None:
        parts.append("not played yet")
    return "; ".join(parts)


def standard_errors(one: Tally, other: Tally) -> float:
    """The difference between the scores of two samples, in standard errors of the difference.

    Both samples are assumed to come from one distribution. The result is 0 if all results are
    equal.
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


def leader(results: Tally) -> Leader | None:
    """The side that is significantly better, by the two-sided P; None if neither is."""
    if not is_significant(results):
        return None
    return "a" if results.wins > results.losses else "b"
