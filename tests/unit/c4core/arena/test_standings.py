import pytest

from c4core.arena.statistics import Tally, standings


def test_nobody_has_met_anybody() -> None:
    assert standings([]) == []


def test_two_players_get_the_difference_of_their_score() -> None:
    first, second = standings([("a", "b", Tally(7500, 2500))])
    assert (first.player, second.player) == ("a", "b")
    # 75 % is 190.85 points; the one draw that everybody is given matters little.
    assert first.rating - second.rating == pytest.approx(190.85, abs=0.5)
    assert first.rating + second.rating == pytest.approx(0)
    assert first.results == second.results.reversed() == Tally(7500, 2500)


def test_ratings_explain_a_chain() -> None:
    # b is 100 points above a, c 100 above b; a and c have never met.
    share = 1 / (1 + 10 ** (-100 / 400))
    won = round(100_000 * share)
    table = standings(
        [("b", "a", Tally(won, 100_000 - won)), ("b", "c", Tally(100_000 - won, won))]
    )
    assert [standing.player for standing in table] == ["c", "b", "a"]
    for standing, rating in zip(table, (100, 0, -100), strict=True):
        assert standing.rating == pytest.approx(rating, abs=0.5)


def test_draws_are_half_a_win() -> None:
    even, other = standings([("a", "b", Tally(0, 0, 50))])
    assert even.rating == pytest.approx(other.rating)


def test_who_wins_everything_has_a_finite_rating() -> None:
    first, last = standings([("a", "b", Tally(20, 0))])
    assert 300 < first.rating - last.rating < 1500


def test_games_against_oneself_say_nothing() -> None:
    table = standings([("a", "a", Tally(10, 0)), ("a", "b", Tally(5, 5))])
    assert [standing.results.games for standing in table] == [10, 10]
    assert table[0].rating == pytest.approx(table[1].rating)
