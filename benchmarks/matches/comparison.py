"""How far our results agree with those of the sources, and by what chance.

Each result of a source counts once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from benchmarks.matches.sources import all_matches
from c4core.arena.statistics import SIGNIFICANT, holm, is_significant

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from benchmarks.matches.measure import Outcomes
    from benchmarks.matches.sources import SourceMatch
    from c4core.arena.statistics import Tally

CLOSE: Final = 2.0
"""Up to this many standard errors, chance alone explains the difference well."""

FAR: Final = 3.0
"""Beyond this many standard errors, chance alone is an unlikely explanation."""

Leader = Literal["a", "b"]


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


def difference_p(one: Tally, other: Tally) -> float:
    """The chance that two samples of one distribution have scores at least so far apart.

    It is exact, and two-sided: all ways are counted in which the games of both together can be
    divided into two samples of these sizes (a permutation test). It holds for small samples and
    scores near 0 or 1 as well, for which standard errors do not.
    """
    together = one + other
    wins = np.arange(min(together.wins, one.games) + 1)[:, None]
    draws = np.arange(min(together.draws, one.games) + 1)[None, :]
    losses = one.games - wins - draws
    possible = (losses >= 0) & (losses <= together.losses)
    # Twice the points of the first sample, as far from what is expected; whole numbers.
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
    """The logarithm of the binomial coefficient, by a table of logarithms of factorials."""
    ways: NDArray[np.float64] = logs[of] - logs[chosen] - logs[of - chosen]
    return ways


@dataclass(frozen=True, slots=True)
class Comparison:
    """A source's result beside ours."""

    match: SourceMatch
    """The match that was played again."""
    reported: Tally
    """Player a's results in the source."""
    ours: Tally
    """Player a's results here."""

    @property
    def apart(self) -> float:
        """The difference of both scores, in standard errors."""
        return standard_errors(self.reported, self.ours)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The summary of some comparisons."""

    number: int
    """The number of comparisons."""
    close: int
    """Comparisons within :data:`CLOSE` standard errors."""
    far: int
    """Comparisons further apart than :data:`FAR`."""
    most: float
    """The most standard errors between both scores, with its sign; 0 without comparisons."""
    same_leader: int
    """Comparisons with the same verdict by the two-sided P, for the same side."""
    different: list[SourceMatch]
    """The matches that differ significantly, with Holm's correction for all of them."""

    @property
    def differing(self) -> int:
        """The number of matches that differ significantly."""
        return len(self.different)

    @property
    def expected_close(self) -> float:
        """The expected number within :data:`CLOSE` standard errors of the same players."""
        return self.number * (2 * NormalDist().cdf(CLOSE) - 1)

    @classmethod
    def of(cls, found: Sequence[Comparison]) -> Agreement:
        """The summary."""
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
    """The sources' results beside ours, every result of a source once.

    If several readings of a source were played, the first of them counts, which is the one that is
    the players' default.
    """
    firsts: dict[str, Comparison] = {}
    for match in all_matches():
        outcome = outcomes.find(match.name, longer=longer)
        if match.reported is not None and outcome is not None:
            firsts.setdefault(match.result, Comparison(match, match.reported, outcome.results))
    return list(firsts.values())
