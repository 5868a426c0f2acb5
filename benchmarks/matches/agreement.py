"""How far our results agree with the sources', each result of a source counted once."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

from benchmarks.matches.comparison import difference_p, leader, standard_errors
from benchmarks.matches.sources import all_matches
from c4core.arena.statistics import SIGNIFICANT, holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.matches.match import SourceMatch
    from benchmarks.matches.outcomes import Outcomes
    from c4core.arena.statistics import Tally

CLOSE: Final = 2.0
"""Up to this many standard errors, chance alone explains the difference well."""

FAR: Final = 3.0
"""Beyond this many standard errors, chance alone is an unlikely explanation."""


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
    """What some comparisons say together."""

    number: int
    """How many comparisons there are."""
    close: int
    """How many are within :data:`CLOSE` standard errors."""
    far: int
    """How many are further away than :data:`FAR`."""
    most: float
    """The most standard errors between both scores, with its sign; 0 without comparisons."""
    same_leader: int
    """How many have the same verdict by the two-sided P, for the same side."""
    different: list[SourceMatch]
    """The matches that differ significantly, with Holm's correction for all of them."""

    @property
    def expected_close(self) -> float:
        """How many would be within :data:`CLOSE` standard errors if the players were the same."""
        return self.number * (2 * NormalDist().cdf(CLOSE) - 1)

    @classmethod
    def of(cls, found: Sequence[Comparison]) -> Agreement:
        """Count."""
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

    Args:
        outcomes: of our matches.
        longer: compare with the matches of more games than in the source.
    """
    firsts: dict[str, Comparison] = {}
    for match in all_matches():
        outcome = outcomes.find(match.name, longer=longer)
        if match.reported is not None and outcome is not None:
            firsts.setdefault(match.result, Comparison(match, match.reported, outcome.results))
    return list(firsts.values())
