"""What all repeated matches say together: agreement, contradictions, and what chance does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from benchmarks.matches.agreement import CLOSE, FAR, Agreement, comparisons
from benchmarks.matches.comparison import leader, standard_errors
from benchmarks.matches.sources import GROUPS, all_matches
from benchmarks.page import table
from c4core.arena.statistics import (
    SIGNIFICANT,
    false_alarms,
    is_repetitive,
    one_sided_p,
    two_sided_p,
)
from cli.reports import figures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.matches.agreement import Comparison
    from benchmarks.matches.comparison import Leader
    from benchmarks.matches.match import SourceMatch
    from benchmarks.matches.outcomes import Outcome, Outcomes

DECISIVE: Final = (10, 20, 50, 100, 200, 500, 1000, 2000)
"""Decisive games of the matches between equals."""

EARLIER: Final = "earlier"
"""The group of the blog's earlier results."""

DEPTHS: Final = {"up to 4": range(5), "5 or 6": range(5, 7)}
"""Depths at which the earlier results are looked at together."""

_PLACES: Final[dict[Leader, str]] = {"a": "A above B", "b": "B above A"}


def summary(outcomes: Outcomes) -> str:
    """The number of confirmed results, and the others by name."""
    texts = [_verdicts_of_sources(), _agreement(comparisons(outcomes, longer=False))]
    if outcomes.longer:
        texts += ["With more games:", _agreement(comparisons(outcomes, longer=True))]
    return "\n\n".join(texts)


def by_depth(outcomes: Outcomes) -> str:
    """How far the earlier results agree, by the greater depth of both players."""
    headings = (
        "depths",
        "games here",
        "results",
        f"within {CLOSE:g} standard errors",
        "expected of the same players",
        "most apart",
        "different by Holm",
    )
    rows = []
    for longer in (False, True):
        found = [
            each for each in comparisons(outcomes, longer=longer) if each.match.group == EARLIER
        ]
        for text, depths in DEPTHS.items():
            agreement = Agreement.of([each for each in found if _depth(each.match) in depths])
            rows.append(
                [
                    text,
                    " or ".join(f"{games:,}" for games in sorted({e.ours.games for e in found})),
                    str(agreement.number),
                    str(agreement.close),
                    f"{agreement.expected_close:.1f}",
                    f"{agreement.most:+.1f}",
                    str(len(agreement.different)),
                ]
            )
    return table(headings, rows)


def contradictions(outcomes: Outcomes) -> str:
    """Where the better side here is not the source's: a sentence for each match.

    A source calls a side better in words, or by a significant result that is more than
    :data:`CLOSE` standard errors away from ours.
    """
    against: list[str] = []
    open_: list[str] = []
    seen: set[str] = set()
    for match in all_matches():
        outcome = outcomes.find(match.name, longer=True) or outcomes.find(match.name)
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


def chance() -> str:
    """How often matches between equals are called significant."""
    rows = [
        [
            f"{decisive:,}",
            figures.percent(false_alarms(decisive, two_sided=False)),
            figures.percent(false_alarms(decisive, two_sided=True)),
        ]
        for decisive in DECISIVE
    ]
    headings = ("decisive games", "by the one-sided P of whoever won more", "by the two-sided P")
    return table(headings, rows, left=0)


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


def _agreement(found: Sequence[Comparison]) -> str:
    all_ = Agreement.of(found)
    text = (
        f"Of {all_.number} results with numbers {all_.close} came out within {CLOSE:g} standard "
        f"errors of what their source reports; {all_.expected_close:.1f} would be expected of the "
        f"same players. {all_.far} are further away than {FAR:g}. With Holm's correction for "
        f"{all_.number} comparisons, {len(all_.different)} differ significantly at {SIGNIFICANT}. "
        f"In {all_.same_leader} the verdict by the two-sided P is the same, for the same side."
    )
    if not all_.different:
        return text
    named = "; ".join(f"`{match.a}` - `{match.b}`" for match in all_.different)
    return f"{text}\n\nSignificantly different: {named}."


def _depth(match: SourceMatch) -> int:
    """The greater depth of both players."""
    return max(int(depth) for depth in re.findall(r"depth=(\d+)", f"{match.a} {match.b}"))


def _claim(match: SourceMatch, outcome: Outcome) -> Leader | None:
    """The side that the source calls better; None if our result may be the same by chance."""
    if match.claimed is not None or match.reported is None:
        return match.claimed
    is_close = abs(standard_errors(match.reported, outcome.results)) <= CLOSE
    return None if is_close else leader(match.reported)


def _sentence(match: SourceMatch, theirs: Leader, outcome: Outcome) -> str:
    """What the source says, and what came out here."""
    results = outcome.results
    source = GROUPS[match.group].partition(":")[0]
    said = f"{source} ranks {_PLACES[theirs]}"
    if match.reported is not None:
        said = f"{source} reports {figures.tally(match.reported)}, {theirs.upper()} better"
    here = f"here it is {figures.tally(results)}"
    p = two_sided_p(results)
    if p is not None:
        here += f" (P {figures.chance(p)})"
    if is_repetitive(outcome.distinct, results.games):
        here += f", but only {outcome.distinct:,} of {results.games:,} games are different"
    note = f"; {match.note}" if match.note else ""
    return f"`{match.a}` - `{match.b}`: {said}; {here}{note}."
