"""What is made of results: rates, intervals, ratings, sequential tests."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from c4core.arena.game import play_game
from c4core.arena.seeds import game_seed
from c4core.arena.statistics import (
    Sprt,
    Tally,
    _likeliest,
    decisive_rate,
    distinct_games,
    elo,
    elo_of,
    score_of,
    wilson_interval,
)
from c4core.players import parse_player


def test_no_games_no_rates() -> None:
    empty = Tally(0, 0)
    assert decisive_rate(empty) is None
    assert empty.score is None
    assert elo(empty) is None
    assert wilson_interval(0, 0) is None
    assert Sprt().verdict(empty) is None


def test_tally() -> None:
    tally = Tally(6, 3, 1)
    assert (tally.games, tally.decisive, tally.score) == (10, 9, 0.65)
    assert tally.reversed() == Tally(3, 6, 1)
    assert tally + Tally(1, 2, 4) == Tally(7, 5, 5)


def test_wilson_interval() -> None:
    # Newcombe 1998: 81 of 263, and the ends of the scale.
    interval = wilson_interval(81, 263)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    nothing = wilson_interval(0, 10)
    assert nothing is not None
    assert nothing.low == pytest.approx(0)
    assert nothing.high == pytest.approx(0.2775, abs=5e-5)


def test_elo() -> None:
    assert elo_of(0.5) == 0
    assert elo_of(0.75) == pytest.approx(190.85, abs=0.01)
    assert score_of(elo_of(0.3)) == pytest.approx(0.3)
    assert (elo_of(0.0), elo_of(1.0)) == (-math.inf, math.inf)
    rating = elo(Tally(60, 30, 10))
    assert rating is not None
    assert rating.difference == pytest.approx(elo_of(0.65))
    # Variance of a game 0.2025, so the score is known to +-0.0882.
    assert rating.low == pytest.approx(elo_of(0.65 - 0.08820), abs=0.1)
    assert rating.high == pytest.approx(elo_of(0.65 + 0.08820), abs=0.1)
    perfect = elo(Tally(10, 0))
    assert perfect is not None
    assert perfect.difference == perfect.low == math.inf


def test_sprt_bounds_and_verdicts() -> None:
    test = Sprt(elo0=0, elo1=20)
    assert (test.lower, test.upper) == pytest.approx((-2.944, 2.944), abs=5e-4)
    assert test.verdict(Tally(50, 50)) is None
    assert test.verdict(Tally(2700, 2300)) == "H1"
    assert test.verdict(Tally(2450, 2550)) == "H0"
    # 5 % above H1 for sure, though there is no spread at all.
    assert test.verdict(Tally(60, 0)) == "H1"


def test_sprt_ratio_is_nearly_that_of_normal_scores() -> None:
    test, tally = Sprt(elo0=0, elo1=20), Tally(1300, 1020, 400)
    score0, score1 = score_of(0), score_of(20)
    mean = (1300 + 200) / 2720
    variance = (1300 * (1 - mean) ** 2 + 400 * (0.5 - mean) ** 2 + 1020 * mean**2) / 2720
    expected = 2720 / (2 * variance) * ((mean - score0) ** 2 - (mean - score1) ** 2)
    assert test.ratio(tally) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("wins", [1, 10, 52])
def test_sprt_ratio_without_losses_and_draws(wins: int) -> None:
    """Then it is the ratio of the chances to win throughout, which are the scores."""
    expected = wins * math.log(score_of(20) / score_of(0))
    assert Sprt().ratio(Tally(wins, 0)) == pytest.approx(expected, rel=0.01, abs=0.001)


def test_sprt_needs_many_games() -> None:
    test = Sprt()
    assert test.verdict(Tally(52, 0)) is None
    assert test.verdict(Tally(53, 0)) == "H1"
    assert test.verdict(Tally(0, 48)) is None
    assert test.verdict(Tally(0, 51)) == "H0"
    assert test.ratio(Tally(0, 0)) == 0


@given(
    wins=st.integers(0, 3000),
    losses=st.integers(0, 3000),
    draws=st.integers(0, 3000),
    elo1=st.floats(0.5, 300),
)
def test_sprt_chances_lead_to_the_score(wins: int, losses: int, draws: int, elo1: float) -> None:
    counts = [max(float(count), 1e-3) for count in (wins, draws, losses)]
    shares = [count / sum(counts) for count in counts]
    chances = _likeliest(shares, score_of(elo1))
    assert sum(chances) == pytest.approx(1, abs=1e-6)
    assert chances[0] + chances[1] / 2 == pytest.approx(score_of(elo1), abs=1e-6)
    assert all(chance > 0 for chance in chances)


@pytest.mark.parametrize(
    "bad",
    [
        {"elo0": 5, "elo1": 5},
        {"alpha": 0},
        {"beta": 0.5},
        {"elo1": 7000},
        {"elo0": -1001},
        {"elo1": math.inf},
        {"elo0": -math.inf},
        {"elo0": math.nan},
        {"elo1": math.nan},
        {"alpha": math.nan},
    ],
)
def test_impossible_sprt(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Sprt(**bad)


@given(
    wins=st.integers(0, 1_000_000),
    losses=st.integers(0, 1_000_000),
    draws=st.integers(0, 1_000_000),
)
def test_sprt_of_the_greatest_differences(wins: int, losses: int, draws: int) -> None:
    tally = Tally(wins, losses, draws)
    ratio = Sprt(elo0=-1000, elo1=1000).ratio(tally)
    assert math.isfinite(ratio)
    assert ratio == pytest.approx(-Sprt(-1000, 1000).ratio(tally.reversed()), rel=1e-3, abs=1e-3)


def test_distinct_games() -> None:
    stupid, chance = parse_player("stupid").make(), parse_player("random").make()
    assert distinct_games(play_game(stupid, stupid, seed=game_seed(1, n)) for n in range(5)) == 1
    assert distinct_games(play_game(chance, chance, seed=game_seed(1, n)) for n in range(5)) == 5
