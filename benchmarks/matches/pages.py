"""The texts of ``docs/matches-log.md``: all matches, and a summary.

The summary shows how well our results agree with the sources, and how likely it is that chance
explains the differences. Each result of a source counts once.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from benchmarks.matches.measure import Outcomes
from benchmarks.matches.sources import GROUPS, SourceMatch, all_matches
from benchmarks.page import run_lines, table
from c4core.arena.statistics import (
    SIGNIFICANT,
    Tally,
    false_alarms,
    holm,
    is_repetitive,
    is_significant,
    one_sided_p,
    two_sided_p,
)
from cli.output import render
from cli.reports.tables import SEATS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from benchmarks.matches.measure import Outcome
    from benchmarks.record import Part

DECISIVE: Final = (10, 20, 50, 100, 200, 500, 1000, 2000)
"""Numbers of decisive games in the matches between equals."""

EARLIER: Final = "earlier"
"""The group of the blog's earlier results."""

DEPTHS: Final = {"up to 4": range(5), "5 or 6": range(5, 7)}
"""Ranges of depths for which the earlier results are summarized."""

CLOSE: Final = 2.0
"""Up to this many standard errors, chance alone explains a difference well."""

FAR: Final = 3.0
"""Beyond this many standard errors, chance alone is an unlikely explanation."""

Leader = Literal["a", "b"]

_PLACES: Final[dict[Leader, str]] = {"a": "A above B", "b": "B above A"}


def places(parts: Mapping[str, Part]) -> dict[str, str]:
    """The text of each place in the page."""
    outcomes = Outcomes.of(parts)
    played = [*outcomes.source.values(), *outcomes.longer.values()]
    games = sum(outcome.results.games for outcome in played)
    seconds = sum(outcome.seconds for outcome in played)
    commands = [command for part in parts.values() for command in part.figures["commands"]]
    texts = {
        "run": run_lines(
            replace(max(parts.values(), key=lambda part: part.made.date).made, command=""),
            f"Commands: {', '.join(f'`{command}`' for command in commands)}",
            f"{games:,} games in {len(played)} matches, {seconds:,.0f} s of play",
        ),
        "chance": chance(),
        "summary": summary(outcomes),
        "contradictions": contradictions(outcomes),
        "depths": by_depth(outcomes),
    }
    return texts | {group: group_table(group, outcomes) for group in GROUPS}


def summary(outcomes: Outcomes) -> str:
    """The number of confirmed results, and the names of the others."""
    texts = [_verdicts_of_sources(), _agreement(comparisons(outcomes, longer=False))]
    if outcomes.longer:
        texts += ["With more games:", _agreement(comparisons(outcomes, longer=True))]
    return "\n\n".join(texts)


def by_depth(outcomes: Outcomes) -> str:
    """The agreement with the earlier results, by the greater depth of both players."""
    rows = []
    for longer in (False, True):
        found = [
            each for each in comparisons(outcomes, longer=longer) if each.match.group == EARLIER
        ]
        games = " or ".join(f"{games:,}" for games in sorted({each.ours.games for each in found}))
        rows += [
            {"depths": name, "games": games, "agreement": Agreement.of(chosen)}
            for name, depths in DEPTHS.items()
            for chosen in [[each for each in found if _depth(each.match) in depths]]
        ]
    return table(
        f"depths | games here | results | within {CLOSE:g} standard errors | "
        "expected of the same players | most apart | different by Holm",
        rows,
        "{depths} | {games} | {agreement.number} | {agreement.close} | "
        "{agreement.expected_close:.1f} | {agreement.most:+.1f} | {agreement.differing}",
    )


def contradictions(outcomes: Outcomes) -> str:
    """The matches in which the better side differs from the source, with a sentence for each.

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
    """The share of matches between equals that are called significant."""
    rows = [
        {"decisive": decisive}
        | {name: false_alarms(decisive, two_sided=name == "two") for name in ("one", "two")}
        for decisive in DECISIVE
    ]
    return table(
        "decisive games | by the one-sided P of the player that won more | by the two-sided P",
        rows,
        "{decisive:,} | {one:percent} | {two:percent}",
        left=0,
    )


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
        f"Of {all_.number} results with numbers, {all_.close} are within {CLOSE:g} standard "
        f"errors of the source's result; {all_.expected_close:.1f} would be expected of the "
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
        outcome = outcomes.find(match.name)
        longer = outcomes.find(match.name, longer=True)
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


def difference_p(one: Tally, other: Tally) -> float:
    """The chance that two samples of one distribution have scores at least this far apart.

    It is exact and two-sided: it counts all ways to divide the games of both samples into two
    samples of these sizes (a permutation test). Unlike standard errors, it also holds for small
    samples and for scores near 0 or 1.
    """
    together = one + other
    wins = np.arange(min(together.wins, one.games) + 1)[:, None]
    draws = np.arange(min(together.draws, one.games) + 1)[None, :]
    losses = one.games - wins - draws
    possible = (losses >= 0) & (losses <= together.losses)
    # Distances from the expectation, in half points of the first sample, scaled to whole numbers.
    expected = one.games * (2 * together.wins + together.draws)
    away = np.abs(together.games * (2 * wins + draws) - expected)
    as_far = away >= abs(together.games * (2 * one.wins + one.draws) - expected)
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, together.games + 1)))])
    chances = np.exp(
        _ways(logs, together.wins, wins)
        + _ways(logs, together.draws, draws)
        + _ways(logs, together.losses, np.clip(losses, 0, together.losses))
        - _ways(logs, together.games, np.array(one.games))
    )
    return min(1.0, float(chances[possible & as_far].sum()))


def leader(results: Tally) -> Leader | None:
    """The side that is significantly better, by the two-sided P; None if neither is."""
    if not is_significant(results):
        return None
    return "a" if results.wins > results.losses else "b"


def _ways(logs: NDArray[np.float64], of: int, chosen: NDArray[Any]) -> NDArray[np.float64]:
    """The logarithm of the binomial coefficient, from a table of logarithms of factorials."""
    ways: NDArray[np.float64] = logs[of] - logs[chosen] - logs[of - chosen]
    return ways


@dataclass(frozen=True, slots=True)
class Comparison:
    """A source's result and ours."""

    match: SourceMatch
    reported: Tally
    """Player a's results in the source."""
    ours: Tally

    @property
    def apart(self) -> float:
        """The difference of both scores, in standard errors."""
        return standard_errors(self.reported, self.ours)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The summary of comparisons."""

    number: int
    close: int
    """Number of comparisons within :data:`CLOSE` standard errors."""
    far: int
    """Number of comparisons further apart than :data:`FAR`."""
    most: float
    """The largest difference in standard errors, with its sign; 0 without comparisons."""
    same_leader: int
    """Number of comparisons with the same verdict by the two-sided P, for the same side."""
    different: list[SourceMatch]
    """The matches that differ significantly, with Holm's correction for all of them."""

    @property
    def differing(self) -> int:
        """Number of matches that differ significantly."""
        return len(self.different)

    @property
    def expected_close(self) -> float:
        """The number within :data:`CLOSE` standard errors that the same players would have."""
        return self.number * (2 * NormalDist().cdf(CLOSE) - 1)

    @classmethod
    def of(cls, found: Sequence[Comparison]) -> Agreement:
        """Summarize comparisons."""
        aparts = [each.apart for each in found]
        corrected = holm([difference_p(each.reported, each.ours) for each in found])
        return cls(
            number=len(found),
            close=sum(abs(apart) <= CLOSE for apart in aparts),
            far=sum(abs(apart) > FAR for apart in aparts),
            most=max(aparts, key=abs, default=0.0),
            same_leader=sum(leader(each.reported) == leader(each.ours) for each in found),
            different=[
                each.match for each, p in zip(found, corrected, strict=True) if p <= SIGNIFICANT
            ],
        )


def comparisons(outcomes: Outcomes, *, longer: bool) -> list[Comparison]:
    """The sources' results and ours, every result of a source once.

    If several readings of a source were played, the first one counts: the players' default.
    """
    firsts: dict[str, Comparison] = {}
    for match in all_matches():
        outcome = outcomes.find(match.name, longer=longer)
        if match.reported is not None and outcome is not None:
            firsts.setdefault(match.result, Comparison(match, match.reported, outcome.results))
    return list(firsts.values())
