"""Statistics of results, compared with scipy's and with the sources."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import given, strategies as st

from c4core.arena.game import game_seed, play_game
from c4core.arena.statistics import (
    SIGNIFICANT,
    Sprt,
    Tally,
    _likeliest,
    decisive_rate,
    distinct_games,
    elo,
    elo_of,
    holm,
    is_repetitive,
    is_significant,
    one_sided_p,
    score_of,
    standings,
    two_sided_p,
    wilson_interval,
)
from c4core.dice import Dice
from c4core.players import parse_player


def test_tally() -> None:
    tally = Tally(6, 3, 1)
    assert (tally.games, tally.decisive, tally.score) == (10, 9, 0.65)
    assert tally.reversed() == Tally(3, 6, 1)
    assert tally + Tally(1, 2, 4) == Tally(7, 5, 5)
    # The winner's percentages in the source's tables.
    rates = [decisive_rate(Tally(*won_lost)) or 0 for won_lost in ((53, 34), (44, 47), (48, 52))]
    assert [round(100 * rate, 1) for rate in rates] == [60.9, 51.6, 52.0]
    empty, draws = Tally(0, 0), Tally(0, 0, 10)
    for rate in (decisive_rate, elo, Sprt().verdict):
        assert rate(empty) is None
    assert (empty.score, wilson_interval(0, 0)) == (None, None)
    assert (one_sided_p(draws), two_sided_p(draws), is_significant(draws)) == (None, None, False)


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
    # The variance of a game is 0.2025, so the score is known to +-0.0882.
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
    # Certainly 5 % above H1, though the results have no spread.
    assert test.verdict(Tally(60, 0)) == "H1"
    results = [Tally(52, 0), Tally(53, 0), Tally(0, 48), Tally(0, 51)]
    assert [Sprt().verdict(tally) for tally in results] == [None, "H1", None, "H0"]
    assert Sprt().ratio(Tally(0, 0)) == 0


@pytest.mark.parametrize(("difference", "right"), [(0, "H0"), (100, "H1")])
def test_sprt_is_wrong_at_most_at_its_rate(difference: int, right: str) -> None:
    """200 matches of random results, looked at after every ten games; a fifth are draws."""
    test, wrong = Sprt(elo0=0, elo1=100), 0
    limits = (score_of(difference) - 0.1, score_of(difference) + 0.1)
    for seed in range(200):
        dice, tally = Dice(seed), Tally(0, 0)
        while (verdict := test.verdict(tally)) is None:
            draws = [dice.unit() for _ in range(10)]
            places = [sum(limit <= draw for limit in limits) for draw in draws]
            tally += Tally(places.count(0), places.count(2), places.count(1))
        wrong += verdict != right
    assert wrong <= 15  # expected: at most 10


def test_sprt_ratio_is_close_to_the_normal_approximation() -> None:
    test, tally = Sprt(elo0=0, elo1=20), Tally(1300, 1020, 400)
    score0, score1 = score_of(0), score_of(20)
    mean = (1300 + 200) / 2720
    variance = (1300 * (1 - mean) ** 2 + 400 * (0.5 - mean) ** 2 + 1020 * mean**2) / 2720
    expected = 2720 / (2 * variance) * ((mean - score0) ** 2 - (mean - score1) ** 2)
    assert test.ratio(tally) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("wins", [1, 10, 52])
def test_sprt_ratio_without_losses_and_draws(wins: int) -> None:
    """The ratio of the winning chances, which are then the scores."""
    expected = wins * math.log(score_of(20) / score_of(0))
    assert Sprt().ratio(Tally(wins, 0)) == pytest.approx(expected, rel=0.01, abs=0.001)


@given(
    wins=st.integers(0, 3000),
    losses=st.integers(0, 3000),
    draws=st.integers(0, 3000),
    elo1=st.floats(0.5, 300),
)
def test_sprt_probabilities_give_the_score(wins: int, losses: int, draws: int, elo1: float) -> None:
    counts = [max(float(count), 1e-3) for count in (wins, draws, losses)]
    shares = [count / sum(counts) for count in counts]
    chances = _likeliest(shares, score_of(elo1))
    assert sum(chances) == pytest.approx(1, abs=1e-6)
    assert chances[0] + chances[1] / 2 == pytest.approx(score_of(elo1), abs=1e-6)
    assert all(chance > 0 for chance in chances)


BAD_SPRTS: list[dict[str, float]] = [
    {"elo0": 5, "elo1": 5},
    {"beta": 0.5},
    *({name: number} for name in ("alpha", "beta") for number in (0, math.nan)),
    *({name: number} for name in ("elo0", "elo1") for number in (-1001, 7000, math.inf, math.nan)),
    {"elo0": -math.inf},
]


@pytest.mark.parametrize("bad", BAD_SPRTS)
def test_bad_sprt_parameters_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Sprt(**bad)


@given(
    wins=st.integers(0, 1_000_000),
    losses=st.integers(0, 1_000_000),
    draws=st.integers(0, 1_000_000),
)
def test_sprt_with_extreme_differences_is_finite(wins: int, losses: int, draws: int) -> None:
    tally = Tally(wins, losses, draws)
    ratio = Sprt(elo0=-1000, elo1=1000).ratio(tally)
    assert math.isfinite(ratio)
    assert ratio == pytest.approx(-Sprt(-1000, 1000).ratio(tally.reversed()), rel=1e-3, abs=1e-3)


def test_distinct_games() -> None:
    stupid, chance = parse_player("stupid").make(), parse_player("random").make()
    assert distinct_games(play_game(stupid, stupid, seed=game_seed(1, n)) for n in range(5)) == 1
    assert distinct_games(play_game(chance, chance, seed=game_seed(1, n)) for n in range(5)) == 5
    repetitive = [is_repetitive(*numbers) for numbers in ((89, 100), (90, 100), (0, 0))]
    assert repetitive == [True, False, False]


def test_binomial_of_many_games() -> None:
    # Half of an even number of games: 1/2 plus half of the middle term.
    games = 300_000
    middle = math.exp(-0.5 * math.log(math.pi * games / 2))
    assert one_sided_p(Tally(games // 2, games // 2)) == pytest.approx(0.5 + middle / 2, rel=1e-6)
    below, above = (one_sided_p(Tally(2100, games - 2100)) for games in (4000, 4001))
    assert below is not None
    assert above is not None
    assert below < above < 1.2 * below  # no jump where the method of calculation changes


@given(wins=st.integers(0, 3000), losses=st.integers(0, 3000), draws=st.integers(0, 9))
def test_p_agrees_with_scipy(wins: int, losses: int, draws: int) -> None:
    tally = Tally(wins, losses, draws)
    if not tally.decisive:
        assert two_sided_p(tally) is None
        return
    leader = max(wins, losses)
    one = scipy.stats.binomtest(leader, tally.decisive, 0.5, alternative="greater").pvalue
    two = scipy.stats.binomtest(wins, tally.decisive, 0.5, alternative="two-sided").pvalue
    # SciPy gives 0 for some probabilities, of up to 8e-254 in 16,000 trials.
    assert one_sided_p(tally) == pytest.approx(one, rel=1e-9, abs=1e-200)
    assert two_sided_p(tally) == pytest.approx(two, rel=1e-9, abs=1e-200)
    assert is_significant(tally) == (two <= SIGNIFICANT)


def test_equal_players_differ_significantly_in_at_most_5_percent() -> None:
    for decisive in range(1, 61):
        chances = scipy.stats.binom.pmf(np.arange(decisive + 1), decisive, 0.5)
        tallies = [Tally(won, decisive - won) for won in range(decisive + 1)]
        for two_sided, p_of in ((True, two_sided_p), (False, one_sided_p)):
            alarms = [(p_of(tally) or 0) <= SIGNIFICANT for tally in tallies]
            exact = float(chances[alarms].sum())
            assert exact <= (SIGNIFICANT if two_sided else 2 * SIGNIFICANT)


def holm_step_by_step(chances: list[float], level: float) -> set[int]:
    """Holm's own procedure: the smallest P first, until one exceeds its share of the level."""
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
def test_holm_agrees_with_a_step_by_step_procedure(chances: list[float], level: float) -> None:
    corrected = holm(chances)
    significant = {index for index, p in enumerate(corrected) if p <= level}
    rejected = holm_step_by_step(chances, level)
    edge = {index for index, p in enumerate(corrected) if abs(p - level) < 1e-12}
    assert significant | edge == rejected | edge
    assert all(p <= more <= 1 for p, more in zip(chances, corrected, strict=True))


def test_ratings_of_two_players_follow_from_their_score() -> None:
    first, second = standings([("a", "b", Tally(7500, 2500))])
    assert (first.player, second.player) == ("a", "b")
    # 75 % is 190.85 points; the one draw that every pair is given matters little.
    assert first.rating - second.rating == pytest.approx(190.85, abs=0.5)
    assert first.rating + second.rating == pytest.approx(0)
    assert first.results == second.results.reversed() == Tally(7500, 2500)


def test_ratings_explain_a_chain() -> None:
    # b is 100 points above a, and c 100 above b; a and c have never met.
    share = 1 / (1 + 10 ** (-100 / 400))
    won = round(100_000 * share)
    table = standings(
        [("b", "a", Tally(won, 100_000 - won)), ("b", "c", Tally(100_000 - won, won))]
    )
    assert [standing.player for standing in table] == ["c", "b", "a"]
    for standing, rating in zip(table, (100, 0, -100), strict=True):
        assert standing.rating == pytest.approx(rating, abs=0.5)


def test_every_player_has_a_finite_rating() -> None:
    assert standings([]) == []
    even, other = standings([("a", "b", Tally(0, 0, 50))])
    assert even.rating == pytest.approx(other.rating)
    first, last = standings([("a", "b", Tally(20, 0))])
    assert 300 < first.rating - last.rating < 1500
    # Games against oneself are ignored.
    table = standings([("a", "a", Tally(10, 0)), ("a", "b", Tally(5, 5))])
    assert [standing.results.games for standing in table] == [10, 10]
    assert table[0].rating == pytest.approx(table[1].rating)
