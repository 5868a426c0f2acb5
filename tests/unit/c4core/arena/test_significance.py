"""Tests of significance, beside scipy's and those of the source."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from c4core.arena.statistics import (
    SIGNIFICANT,
    Tally,
    decisive_rate,
    false_alarms,
    holm,
    is_repetitive,
    is_significant,
    one_sided_p,
    two_sided_p,
)

# Wins and losses of the source's tables, the winner's share in percent and P, recomputed where the
# source was wrong.
SOURCE = [
    ((53, 34, 13), 60.9, 0.027, True),
    ((44, 47, 9), 51.6, 0.417, False),
    ((33, 59, 8), 64.1, 0.0044, True),
    ((6, 90, 4), 93.8, 0.0, True),
    ((48, 52, 0), 52.0, 0.38, False),
]


@pytest.mark.parametrize(("results", "percent", "p", "significant"), SOURCE)
def test_tables_of_the_source(
    results: tuple[int, int, int],
    percent: float,
    p: float,
    significant: bool,  # noqa: FBT001
) -> None:
    tally = Tally(*results)
    digits = len(str(p).partition(".")[2])
    assert round(100 * (decisive_rate(tally) or 0), 1) == percent
    assert one_sided_p(tally) == pytest.approx(p, abs=0.51 * 10**-digits if p else 1e-6)
    # The source's verdict, by its one-sided P.
    assert ((one_sided_p(tally) or 0) <= SIGNIFICANT) == significant


def test_no_decisive_game() -> None:
    draws = Tally(0, 0, 10)
    assert one_sided_p(draws) is None
    assert two_sided_p(draws) is None
    assert not is_significant(draws)


def test_binomial_of_many_games() -> None:
    # Half of an even number of games: 1/2 and half of the middle term.
    games = 300_000
    middle = math.exp(-0.5 * math.log(math.pi * games / 2))
    assert one_sided_p(Tally(games // 2, games // 2)) == pytest.approx(0.5 + middle / 2, rel=1e-6)
    below, above = (one_sided_p(Tally(2100, games - 2100)) for games in (4000, 4001))
    assert below is not None
    assert above is not None
    assert below < above < 1.2 * below  # where the way of reckoning changes nothing jumps


@given(wins=st.integers(0, 3000), losses=st.integers(0, 3000), draws=st.integers(0, 9))
def test_p_is_that_of_scipy(wins: int, losses: int, draws: int) -> None:
    tally = Tally(wins, losses, draws)
    if not tally.decisive:
        assert two_sided_p(tally) is None
        return
    leader = max(wins, losses)
    one = stats.binomtest(leader, tally.decisive, 0.5, alternative="greater").pvalue
    two = stats.binomtest(wins, tally.decisive, 0.5, alternative="two-sided").pvalue
    assert one_sided_p(tally) == pytest.approx(one, rel=1e-9, abs=1e-290)
    assert two_sided_p(tally) == pytest.approx(two, rel=1e-9, abs=1e-290)
    assert is_significant(tally) == (two <= SIGNIFICANT)


def test_equals_differ_significantly_in_at_most_5_percent() -> None:
    for decisive in range(1, 61):
        chances = stats.binom.pmf(np.arange(decisive + 1), decisive, 0.5)
        tallies = [Tally(won, decisive - won) for won in range(decisive + 1)]
        for two_sided, p_of in ((True, two_sided_p), (False, one_sided_p)):
            alarms = [(p_of(tally) or 0) <= SIGNIFICANT for tally in tallies]
            exact = float(chances[alarms].sum())
            assert false_alarms(decisive, two_sided=two_sided) == pytest.approx(exact, rel=1e-9)
        assert false_alarms(decisive, two_sided=True) <= SIGNIFICANT


def holm_step_by_step(chances: list[float], level: float) -> set[int]:
    """Holm's own words: the smallest P first, until one is larger than its share of the level."""
    rejected: set[int] = set()
    left = set(range(len(chances)))
    while left:
        smallest = min(left, key=lambda index: chances[index])
        if chances[smallest] > level / len(left):
            break
        left.remove(smallest)
        rejected.add(smallest)
    return rejected


def test_holm_by_hand() -> None:
    assert holm([]) == []
    assert holm([0.03]) == [0.03]
    assert holm([0.04, 0.01, 0.03, 0.005]) == pytest.approx([0.06, 0.03, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]


@given(st.lists(st.floats(0, 1), max_size=40), st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_is_holm_s_procedure(chances: list[float], level: float) -> None:
    corrected = holm(chances)
    significant = {index for index, p in enumerate(corrected) if p <= level}
    rejected = holm_step_by_step(chances, level)
    edge = {index for index, p in enumerate(corrected) if abs(p - level) < 1e-12}
    assert significant | edge == rejected | edge
    assert all(p <= more <= 1 for p, more in zip(chances, corrected, strict=True))


def test_repeated_games() -> None:
    assert is_repetitive(89, 100)
    assert not is_repetitive(90, 100)
    assert not is_repetitive(0, 0)
