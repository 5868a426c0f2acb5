"""Matches of the sources: deterministic results. A failure is a change, because seeds are fixed."""

from collections import Counter

import pytest

from c4core.arena.game import game_seed, play_game
from c4core.players import parse_player

# Pairs in which one side has no win in the source, and in the independent implementation.
NEVER = [
    ("v2 d5", "v3 d5", "first"),
    ("v5 d6", "v6 d6", "first"),
    ("v6 d3", "v6 d4", "first"),
    ("v6 d5", "v6 d6", "first"),
    ("v6 d1", "v6 d4", "first"),
    ("v6 d5", "v6 d5", "second"),
]


def match(first: str, second: str, games: int, *, alternate: bool = False) -> Counter[str]:
    """The results by player: ``first``, ``second`` and ``draw``."""
    players = parse_player(first).make(), parse_player(second).make()
    found: Counter[str] = Counter()
    for number in range(games):
        swapped = alternate and number % 2 == 1
        red, blue = players[::-1] if swapped else players
        record = play_game(red, blue, seed=game_seed(2022, number))
        assert not record.is_forfeit
        if record.winner is None:
            found["draw"] += 1
        else:
            found["first" if (record.winner == "x") != swapped else "second"] += 1
    return found


def blog(text: str) -> str:
    """The description of a player such as ``v6 d2``."""
    version, depth = text.split()
    return f"blog-{version}:depth={depth[1:]}"


@pytest.mark.parametrize(("red", "blue", "loser"), NEVER)
def test_blog_pairs_that_one_side_never_wins(red: str, blue: str, loser: str) -> None:
    assert match(blog(red), blog(blue), 20)[loser] == 0


def test_v2_v3_v4_are_one_player_at_depth_2() -> None:
    found = [match(f"blog-v{n}:depth=2", "blog-v3:depth=2", 60) for n in (2, 3, 4)]
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize(("fallback", "percent"), [("vector", 2.3), ("column", 3.4)])
def test_random_against_set(fallback: str, percent: float) -> None:
    games = 4000
    found = match("random", f"set:fallback={fallback}", games, alternate=True)
    assert abs(100 * found["first"] / games - percent) < 1.0


THREATS = "minimax-threats:time_ms=none,max_depth=5"
TIMED = "montecarlo-timed:time_ms=none,playouts=3000"


@pytest.mark.parametrize(
    ("stronger", "weaker", "games", "wins"),
    [
        (THREATS, "stupid", 5, 5),
        (THREATS, "random", 5, 5),
        (THREATS, TIMED, 10, 8),
        # MCTS > PVS = alpha-beta > greedy
        ("mcts-uct", "greedy", 12, 10),
        ("pvs", "greedy", 12, 10),
        ("mcts-uct:iterations=3000", "alphabeta", 12, 7),
    ],
)
def test_the_stronger_player_wins(stronger: str, weaker: str, games: int, wins: int) -> None:
    assert match(stronger, weaker, games, alternate=True)["first"] >= wins


def test_random_against_the_better_ones() -> None:
    assert match("random", "minimax-windows", 50, alternate=True)["first"] <= 1
    assert match("random", "montecarlo-flat:simulations=200", 20, alternate=True)["first"] == 0
