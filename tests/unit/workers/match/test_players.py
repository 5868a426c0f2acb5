"""Matches of the sources: deterministic results, and shares within their spread.

The expected shares come from the source, or from an independent implementation of the same rules
(``port``) with thousands of games instead of a hundred. Seeds are fixed: a failure is a change, not
bad luck.
"""

import pytest

from tests.support.boards.blog_pairs import PORT, blog, check_shares
from tests.support.boards.blog_pairs import results as match

# Pairs for which the port and the source agree: wins of red, wins of blue, and draws, in percent.
NEVER = [
    ("v2 d5", "v3 d5", "first"),
    ("v5 d6", "v6 d6", "first"),
    ("v5 d6", "v6 d5", "first"),
    ("v6 d3", "v6 d4", "first"),
    ("v6 d4", "v6 d5", "first"),
    ("v6 d5", "v6 d6", "first"),
    ("v6 d3", "v6 d5", "first"),
    ("v6 d1", "v6 d4", "first"),
    ("v6 d5", "v6 d5", "second"),
]


@pytest.mark.parametrize(("red", "blue", "loser"), NEVER)
def test_blog_pairs_that_one_side_never_wins(red: str, blue: str, loser: str) -> None:
    assert match(blog(red), blog(blue), 20)[loser] == 0


@pytest.mark.parametrize(("red", "blue", "wins", "losses", "draws"), PORT[::3])
def test_blog_pairs_agree_with_the_port(
    red: str, blue: str, wins: float, losses: float, draws: float
) -> None:
    found = match(blog(red), blog(blue), 400)
    check_shares(found, 400, wins, losses, draws, port_games=2000)


def test_v2_v3_v4_are_one_player_at_depth_2() -> None:
    found = [match(f"blog-v{n}:depth=2", "blog-v3:depth=2", 60) for n in (2, 3, 4)]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("fallback", "percent"), [("vector", 2.3), ("column", 3.4)])
def test_random_against_set(fallback: str, percent: float) -> None:
    games = 4000
    found = match("random", f"set:fallback={fallback}", games, alternate=True)
    assert abs(100 * found["first"] / games - percent) < 1.0


def test_random_against_the_better_ones() -> None:
    assert match("random", "minimax-windows", 50, alternate=True)["first"] <= 1
    assert match("random", "montecarlo-flat:simulations=200", 20, alternate=True)["first"] == 0


def test_threats_beats_the_course_players() -> None:
    threats = "minimax-threats:time_ms=none,max_depth=5"
    assert match(threats, "stupid", 5, alternate=True)["first"] == 5
    assert match(threats, "random", 5, alternate=True)["first"] == 5
    opponent = "montecarlo-timed:time_ms=none,playouts=3000"
    assert match(threats, opponent, 10, alternate=True)["first"] >= 8


def test_ranking_of_the_four_algorithms() -> None:
    # MCTS > PVS = alpha-beta > greedy, 12 games each.
    assert match("mcts-uct", "greedy", 12, alternate=True)["first"] >= 10
    assert match("pvs", "greedy", 12, alternate=True)["first"] >= 10
    assert match("mcts-uct:iterations=3000", "alphabeta", 12, alternate=True)["first"] >= 7
