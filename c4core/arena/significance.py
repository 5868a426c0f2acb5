"""Tests of significance: whether a match's result is more than chance between two equals.

Two equal players win a decisive game with a chance of one half each. The **one-sided** P is the
chance that a side *named before the match* then wins at least as many games as the side with more
wins has won. Who names the side after the match, because it has won more games, must ask for both
sides: that is the **two-sided** P, and significance is told by it. By the one-sided one, 6 to 10 %
of long matches between equals would be called significant at 0.05.

All of this assumes independent games; :func:`is_repetitive` tells where games repeat too often. The
chance of one half is that of a game whose first player is drawn, or takes turns: where one player
always moves first, P is about the player and its seat together.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from c4core.arena.statistics import Tally

if TYPE_CHECKING:
    from collections.abc import Sequence

SIGNIFICANT: Final = 0.05
"""A result is significant if its two-sided P is at most this."""

EXACT_GAMES: Final = 4000
"""Up to this many games, the first term of the binomial test is calculated in whole numbers."""

NEGLIGIBLE: Final = 1e-18
"""A sum ends at the first term that is smaller than this share of it."""

ENOUGH_DISTINCT: Final = 0.9
"""With a smaller share of different games, a test would count repetitions as evidence."""


def one_sided_p(tally: Tally) -> float | None:
    """The chance that a side named beforehand wins so many games, if both sides are equal.

    So many are at least as many as the side with more wins has won: the sum of C(n, k) / 2^n over
    k >= x, for n decisive games of which that side won x. Williams 2022 prints this P.

    Returns:
        A probability of at least 1/2^n; None without decisive games.
    """
    games, wins = tally.decisive, max(tally.wins, tally.losses)
    if not games:
        return None
    term = total = _binomial_term(games, wins)
    for won in range(wins, games):
        term *= (games - won) / (won + 1)
        total += term
        if term < NEGLIGIBLE * total:
            break
    return min(total, 1.0)


def two_sided_p(tally: Tally) -> float | None:
    """The chance that either of two equal sides wins so many games: the exact binomial test.

    The distribution is symmetric, so it is twice the one-sided P, but at most 1.

    Returns:
        A probability; None without decisive games.
    """
    p = one_sided_p(tally)
    return None if p is None else min(2 * p, 1.0)


def is_significant(tally: Tally) -> bool:
    """Whether the two-sided P is 0.05 or less: so it is in at most 5 % of matches of equals."""
    p = two_sided_p(tally)
    return p is not None and p <= SIGNIFICANT


def holm(chances: Sequence[float]) -> list[float]:
    """The P of several tests, corrected for their number (Holm 1979).

    The smallest of m is multiplied by m, the next one by m - 1, and so on; none becomes smaller
    than one before it, or larger than 1. Tests whose corrected P is at most 0.05 are significant
    together: the chance that any of them is a false alarm is at most 5 %. The tests may depend on
    each other.

    Args:
        chances: the P of each test.

    Returns:
        As many corrected P, in the same order.
    """
    corrected = [0.0] * len(chances)
    largest = 0.0
    for rank, index in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[index]))
        corrected[index] = largest
    return corrected


def false_alarms(decisive: int, *, two_sided: bool) -> float:
    """The share of matches between equals that are called significant at 0.05.

    Args:
        decisive: the number of decisive games of each match, at least 1.
        two_sided: by the two-sided P; else by the one-sided P of the side that has won more games,
            which is named too late.

    Returns:
        The exact share, from 0 to 1.
    """
    p_of = two_sided_p if two_sided else one_sided_p
    least, most = (decisive + 1) // 2, decisive + 1
    while least < most:  # P falls as the wins grow: the fewest wins that are significant
        wins = (least + most) // 2
        p = p_of(Tally(wins, decisive - wins))
        least, most = (least, wins) if p is not None and p <= SIGNIFICANT else (wins + 1, most)
    return (two_sided_p(Tally(least, decisive - least)) or 0.0) if least <= decisive else 0.0


def is_repetitive(distinct: int, games: int) -> bool:
    """Whether so many games are repetitions that every P is too small.

    Args:
        distinct: the number of different games.
        games: the number of all games.
    """
    return distinct < ENOUGH_DISTINCT * games


def _binomial_term(games: int, wins: int) -> float:
    """C(n, x) / 2^n."""
    if games <= EXACT_GAMES:
        # Both numbers may be beyond the range of floats, so they are cut to 64 bits first.
        ways = math.comb(games, wins)
        shift = max(ways.bit_length() - 64, 0)
        return math.ldexp(ways >> shift, shift - games)
    logarithm = math.lgamma(games + 1) - math.lgamma(wins + 1) - math.lgamma(games - wins + 1)
    return math.exp(logarithm - games * math.log(2))
