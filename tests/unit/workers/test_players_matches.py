"""Matches of the sources: results that leave no room for chance, and shares within their spread.

The expected shares are the source's, or those of an independent port of the same rules (``port``),
which has thousands of games where the source has a hundred. Seeds are fixed: a failure is a change,
not bad luck.
"""

from collections import Counter

import pytest

from c4core.arena.game import play_game
from c4core.arena.seeds import game_seed
from c4core.players import parse_player


def match(first: str, second: str, games: int, *, alternate: bool = False) -> Counter[str]:
    """Results by player, ``first``, ``second`` and ``draw``."""
    players = parse_player(first).make(), parse_player(second).make()
    results: Counter[str] = Counter()
    for number in range(games):
        swapped = alternate and number % 2 == 1
        red, blue = players[::-1] if swapped else players
        record = play_game(red, blue, seed=game_seed(2022, number))
        assert not record.is_forfeit
        if record.winner is None:
            results["draw"] += 1
        else:
            results["first" if (record.winner == "x") != swapped else "second"] += 1
    return results


def blog(text: str) -> str:
    """``v6 d2`` as a description."""
    version, depth = text.split()
    return f"blog-{version}:depth={depth[1:]}"


# Pairs whose results the port and the source agree about: wins of red, of blue, draws, in percent.
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


PORT = [
    ("v2 d2", "v3 d2", 47, 43, 10),
    ("v2 d3", "v3 d3", 0, 97, 2),
    ("v3 d2", "v4 d2", 47, 43, 10),
    ("v3 d3", "v4 d3", 58, 40, 2),
    ("v4 d2", "v5 d2", 47, 43, 10),
    ("v4 d3", "v5 d3", 49, 49, 2),
    ("v5 d0", "v6 d0", 17.5, 82.5, 0),
    ("v5 d1", "v6 d1", 32, 68, 0),
    ("v5 d2", "v6 d2", 13, 81, 6),
    ("v5 d3", "v6 d3", 12, 88, 0),
    ("v5 d3", "v6 d2", 16, 81, 3),
    ("v6 d0", "v6 d0", 51, 48, 0),
    ("v6 d1", "v6 d1", 47, 53, 0),
    ("v6 d2", "v6 d2", 67, 26, 7),
    ("v6 d3", "v6 d3", 18.5, 81.5, 0),
    ("v6 d0", "v6 d1", 35, 65, 0),
    ("v6 d1", "v6 d2", 18, 82, 0),
    ("v6 d2", "v6 d3", 53, 47, 0),
    ("v6 d0", "v6 d2", 8, 91, 0),
    ("v6 d1", "v6 d3", 15, 85, 0),
    ("v6 d0", "v6 d3", 10, 90, 0),
]

PORT_DEEP = [
    ("v2 d4", "v3 d4", 34, 44, 22),
    ("v3 d4", "v4 d4", 31, 63, 6),
    ("v3 d5", "v4 d5", 41, 57, 2),
    ("v4 d4", "v5 d4", 47, 50, 3),
    ("v4 d5", "v5 d5", 43, 57, 0),
    ("v5 d4", "v6 d4", 14, 84, 2),
    ("v5 d5", "v6 d5", 36, 64, 0),
    ("v5 d4", "v6 d3", 27, 73, 0),
    ("v5 d5", "v6 d4", 61, 37, 2),
    ("v6 d4", "v6 d4", 75, 25, 0),
    ("v6 d2", "v6 d4", 36, 31, 33),
    ("v6 d3", "v6 d5", 0, 53, 47),
    ("v6 d4", "v6 d6", 45, 55, 0),
    ("v6 d1", "v6 d4", 0, 93, 7),
    ("v6 d2", "v6 d5", 38.7, 49.7, 11.7),
    ("v6 d3", "v6 d6", 25, 75, 0),
]


def check_shares(results: Counter[str], games: int, *shares: float, port_games: int) -> None:
    """Each share within 4 standard deviations of both samples, and a half percent of rounding."""
    for name, share in zip(("first", "second", "draw"), shares, strict=True):
        rate = share / 100
        spread = (max(rate * (1 - rate), 0.005) * (1 / games + 1 / port_games)) ** 0.5
        assert abs(results[name] / games - rate) < 4 * spread + 0.005, (name, results)


@pytest.mark.parametrize(("red", "blue", "wins", "losses", "draws"), PORT)
def test_blog_pairs_as_ported(
    red: str, blue: str, wins: float, losses: float, draws: float
) -> None:
    results = match(blog(red), blog(blue), 400)
    check_shares(results, 400, wins, losses, draws, port_games=2000)


@pytest.mark.long
@pytest.mark.parametrize(("red", "blue", "wins", "losses", "draws"), PORT + PORT_DEEP)
def test_blog_pairs_as_ported_at_length(
    red: str, blue: str, wins: float, losses: float, draws: float
) -> None:
    results = match(blog(red), blog(blue), 2000)
    deep = max(red[-1], blue[-1])
    port_games = {"5": 300, "6": 100}.get(deep, 2000)
    check_shares(results, 2000, wins, losses, draws, port_games=port_games)


def test_v2_v3_v4_are_one_player_at_depth_2() -> None:
    results = [match(f"blog-v{n}:depth=2", "blog-v3:depth=2", 60) for n in (2, 3, 4)]
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize(("fallback", "percent"), [("vector", 2.3), ("column", 3.4)])
def test_random_against_set(fallback: str, percent: float) -> None:
    games = 4000
    results = match("random", f"set:fallback={fallback}", games, alternate=True)
    assert abs(100 * results["first"] / games - percent) < 1.0


def test_random_against_the_better_ones() -> None:
    assert match("random", "minimax-windows", 50, alternate=True)["first"] <= 1
    assert match("random", "montecarlo-flat:simulations=200", 20, alternate=True)["first"] == 0


def test_threats_beats_the_course_players() -> None:
    threats = "minimax-threats:time_ms=none,max_depth=5"
    assert match(threats, "stupid", 5, alternate=True)["first"] == 5
    assert match(threats, "random", 5, alternate=True)["first"] == 5
    opponent = "montecarlo-timed:time_ms=none,playouts=3000"
    assert match(threats, opponent, 10, alternate=True)["first"] >= 8


@pytest.mark.long
def test_windows_against_flat() -> None:
    # The port: 52-48-0 with the middle counted twice, 71-28-1 with it counted once.
    even = match("minimax-windows", "montecarlo-flat", 200, alternate=True)
    assert 38 <= 100 * even["first"] / 200 <= 66
    once = match("minimax-windows", "montecarlo-flat:center_weight=1", 200, alternate=True)
    assert 57 <= 100 * once["first"] / 200 <= 85


def test_ranking_of_the_four_algorithms() -> None:
    # MCTS > PVS = alpha-beta > greedy, 12 games each.
    assert match("mcts-uct", "greedy", 12, alternate=True)["first"] >= 10
    assert match("pvs", "greedy", 12, alternate=True)["first"] >= 10
    assert match("mcts-uct:iterations=3000", "alphabeta", 12, alternate=True)["first"] >= 7
