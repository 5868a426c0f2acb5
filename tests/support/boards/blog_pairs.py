"""Matches between the players of the sources, and the results of an independent implementation."""

from collections import Counter

from c4core.arena.game import game_seed, play_game
from c4core.players import parse_player


def results(first: str, second: str, games: int, *, alternate: bool = False) -> Counter[str]:
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


PORT = [
    ("v2 d2", "v3 d2", 47, 43, 10), ("v2 d3", "v3 d3", 0, 97, 2), ("v3 d2", "v4 d2", 47, 43, 10),
    ("v3 d3", "v4 d3", 58, 40, 2), ("v4 d2", "v5 d2", 47, 43, 10), ("v4 d3", "v5 d3", 49, 49, 2),
    ("v5 d0", "v6 d0", 17.5, 82.5, 0), ("v5 d1", "v6 d1", 32, 68, 0), ("v5 d2", "v6 d2", 13, 81, 6),
    ("v5 d3", "v6 d3", 12, 88, 0), ("v5 d3", "v6 d2", 16, 81, 3), ("v6 d0", "v6 d0", 51, 48, 0),
    ("v6 d1", "v6 d1", 47, 53, 0), ("v6 d2", "v6 d2", 67, 26, 7), ("v6 d3", "v6 d3", 18.5, 81.5, 0),
    ("v6 d0", "v6 d1", 35, 65, 0), ("v6 d1", "v6 d2", 18, 82, 0), ("v6 d2", "v6 d3", 53, 47, 0),
    ("v6 d0", "v6 d2", 8, 91, 0), ("v6 d1", "v6 d3", 15, 85, 0), ("v6 d0", "v6 d3", 10, 90, 0),
]  # fmt: skip

PORT_DEEP = [
    ("v2 d4", "v3 d4", 34, 44, 22), ("v3 d4", "v4 d4", 31, 63, 6), ("v3 d5", "v4 d5", 41, 57, 2),
    ("v4 d4", "v5 d4", 47, 50, 3), ("v4 d5", "v5 d5", 43, 57, 0), ("v5 d4", "v6 d4", 14, 84, 2),
    ("v5 d5", "v6 d5", 36, 64, 0), ("v5 d4", "v6 d3", 27, 73, 0), ("v5 d5", "v6 d4", 61, 37, 2),
    ("v6 d4", "v6 d4", 75, 25, 0), ("v6 d2", "v6 d4", 36, 31, 33), ("v6 d3", "v6 d5", 0, 53, 47),
    ("v6 d4", "v6 d6", 45, 55, 0), ("v6 d1", "v6 d4", 0, 93, 7),
    ("v6 d2", "v6 d5", 38.7, 49.7, 11.7), ("v6 d3", "v6 d6", 25, 75, 0),
]  # fmt: skip


def check_shares(results: Counter[str], games: int, *shares: float, port_games: int) -> None:
    """Each share is within 4 standard deviations of both samples, plus 0.5 % for rounding."""
    for name, share in zip(("first", "second", "draw"), shares, strict=True):
        rate = share / 100
        spread = (max(rate * (1 - rate), 0.005) * (1 / games + 1 / port_games)) ** 0.5
        assert abs(results[name] / games - rate) < 4 * spread + 0.005, (name, results)
