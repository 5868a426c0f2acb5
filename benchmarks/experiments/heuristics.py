"""Kang, Wang, Hu 2019: two heuristics, with every third move drawn from the two best columns."""

from __future__ import annotations

import time
from typing import Final

from benchmarks.experiments.experiment import Experiment, Finding
from benchmarks.experiments.playing import made, play, play_both, random_positions
from c4core.players.heuristics import FEATURES_LIMIT
from c4core.players.minimax import minimax
from c4core.players.player import columns_from_centre

FEATURES: Final = "minimax-features:depth={},random_move=on"
SQUARES: Final = "minimax-squares:depth={},random_move=on"
ROWS: Final = {2: (24, 76), 4: (60, 39), 6: (76, 22), 8: (81, 19)}
"""Games of 100 that each heuristic won, by depth; the rest was drawn."""
SUBSETS: Final = {"1": 48, "2": 40, "3": 48, "4": 40, "12": 54, "123": 60, "1234": 80}
"""Games of 100 that these features won."""
SOURCE_GAMES: Final = 100
NEAR: Final = 2.0
"""Standard errors within which two shares agree."""
DEPTHS: Final = (2, 4, 6, 8)
SQUARES_WIN: Final = 1_000_000


def _apart(here: float, games: int, source: float) -> float:
    """The difference of two shares of wins, in standard errors; the source's is of 100 games."""
    error = (here * (1 - here) / games + source * (1 - source) / SOURCE_GAMES) ** 0.5
    return (here - source) / error if error else 0.0


def _seats(games: int, seed: int) -> Finding:
    rows, fits = [], []
    for depth, (won, lost) in ROWS.items():
        features, squares = made(FEATURES.format(depth)), made(SQUARES.format(depth))
        first = play(features, squares, games, seed)
        second = play(squares, features, games, seed).reversed()
        both = first + second
        shares = [first.results.wins / games, second.results.wins / games]
        shares.append(both.results.wins / (2 * games))
        sizes = (games, games, 2 * games)
        apart = [
            _apart(share, size, won / SOURCE_GAMES)
            for share, size in zip(shares, sizes, strict=True)
        ]
        names = ("features first", "squares first", "by turns")
        near = [name for name, one in zip(names, apart, strict=True) if abs(one) <= NEAR]
        fits += [f"depth {depth} with {' or '.join(near)}"] if near else []
        cells = (
            first.text,
            f"{apart[0]:+.1f}",
            second.text,
            f"{apart[1]:+.1f}",
            f"{apart[2]:+.1f}",
        )
        drawn = SOURCE_GAMES - won - lost
        rows.append((f"depth {depth}", f"{won}-{lost}-{drawn}", *cells, f"{both.different:,}"))
    found = f"Within {NEAR:.0f} standard errors of the source: {'; '.join(fits) or 'nothing'}."
    return Finding(
        (
            "",
            "source: features won-lost-drawn",
            "features first",
            "apart",
            "squares first",
            "apart",
            "by turns, apart",
            "different ends",
        ),
        tuple(rows),
        found,
    )


def _subsets(games: int, seed: int) -> Finding:
    squares = made(SQUARES.format(4))
    rows, near = [], []
    shares: dict[str, float] = {}
    for subset, won in SUBSETS.items():
        features = made(f"{FEATURES.format(4)},features={subset}")
        both = play_both(features, squares, games, seed)
        shares[subset] = both.results.wins / games
        apart = _apart(shares[subset], games, won / SOURCE_GAMES)
        near += [subset] if abs(apart) <= NEAR else []
        rows.append((subset, f"{won} %", f"{shares[subset]:.1%}", both.text, f"{apart:+.1f}"))
    best = max(shares, key=lambda subset: shares[subset])
    found = (
        f"Within {NEAR:.0f} standard errors of the source: {', '.join(near) or 'none'}. Here "
        f"{best} won most, {shares[best]:.1%}; all four won {shares['1234']:.1%}."
    )
    headings = ("features", "source: won", "here: won", "won-lost-drawn", "apart")
    return Finding(headings, tuple(rows), found)


def _effort(positions: int, seed: int) -> Finding:
    sample = random_positions(positions, plies=range(30), seed=seed)
    rows = []
    cost: dict[tuple[str, int, bool], tuple[int, float]] = {}
    for heuristic in ("features", "squares"):
        for depth in DEPTHS:
            for prunes in (False, True):
                nodes, began = 0, time.process_time()
                for position in sample:
                    nodes += minimax(
                        position,
                        heuristic=heuristic,
                        depth=depth,
                        order=columns_from_centre(position.width),
                        win=FEATURES_LIMIT if heuristic == "features" else SQUARES_WIN,
                        wins_at_once=True,
                        prunes=prunes,
                    ).nodes
                cost[heuristic, depth, prunes] = nodes, time.process_time() - began
            (plain, plain_seconds), (pruned, seconds) = (
                cost[heuristic, depth, False],
                cost[heuristic, depth, True],
            )
            rows.append(
                (
                    f"{heuristic}, depth {depth}",
                    f"{plain / positions:,.0f}",
                    f"{pruned / positions:,.0f}",
                    f"{pruned / plain:.1%}",
                    f"{1e3 * plain_seconds / positions:,.3f}",
                    f"{1e3 * seconds / positions:,.3f}",
                )
            )
    deepest = DEPTHS[-1]
    shares = [
        cost[name, deepest, True][0] / cost[name, deepest, False][0]
        for name in ("features", "squares")
    ]
    found = (
        f"At depth {deepest} alpha-beta looks at {shares[0]:.1%} of the nodes of plain minimax "
        f"with the features, and at {shares[1]:.1%} with the squares."
    )
    headings = ("", "nodes, plain", "nodes", "share", "ms, plain", "ms")
    return Finding(headings, tuple(rows), found)


def _deeper(games: int, seed: int) -> Finding:
    rows, worse = [], []
    for name, description in (("features", FEATURES), ("squares", SQUARES)):
        for shallow in DEPTHS[:-1]:
            deep = made(description.format(shallow + 2))
            both = play_both(deep, made(description.format(shallow)), games, seed)
            match = f"{name}: depth {shallow + 2} against {shallow}"
            worse += [match] if both.score <= 1 / 2 else []
            rows.append((match, both.text, f"{both.score:.1%}", f"{both.different:,}"))
    found = f"The deeper one scored more in {len(rows) - len(worse)} of {len(rows)} matches."
    if worse:
        found = f"{found} Not so in {'; '.join(worse)}."
    return Finding(("", "won-lost-drawn", "score", "different ends"), tuple(rows), found)


EXPERIMENTS: Final = (
    Experiment(
        "seats",
        "Kang, Wang, Hu 2019: who moved first?",
        "The source gives the share of games that each heuristic won at equal depths (here "
        "second-hand), and does not tell who moved first. With every third move drawn, nothing "
        "else is random.",
        400,
        _seats,
    ),
    Experiment(
        "features",
        "Kang, Wang, Hu 2019: what each feature is worth",
        "The source plays subsets of the four features against the squares at depth 4: single "
        "ones won 40 to 48 %, all four together 80 % (60 % in another of its tables). All "
        "together are best.",
        400,
        _subsets,
    ),
    Experiment(
        "effort",
        "Kang, Wang, Hu 2019: nodes and time of a decision",
        "The source measures nodes and time by depth; no numbers were available. Alpha-beta saves "
        "most of the time.",
        8,
        _effort,
    ),
    Experiment(
        "depths",
        "Kang, Wang, Hu 2019: is deeper better?",
        "Deeper is better; no numbers were available.",
        100,
        _deeper,
    ),
)
