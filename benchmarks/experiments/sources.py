"""The experiments, by source: heuristics, algorithms, levels, abandoned ideas, stored games."""

from __future__ import annotations

import time
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal

from benchmarks.experiments.playing import (
    Experiment,
    Finding,
    made,
    play,
    play_both,
    random_positions,
)
from c4core.arena.game import play_game
from c4core.arena.seeds import game_seed
from c4core.players import FinalGrids
from c4core.players.heuristics import FEATURES_LIMIT
from c4core.players.minimax import minimax
from c4core.players.player import columns_from_centre
from c4core.players.roster.database_montecarlo import DatabaseMontecarlo
from c4core.players.roster.minimax import THREATS_WIN
from cli.shell import signals

if TYPE_CHECKING:
    from benchmarks.experiments.playing import Games
    from c4core import Position

# Kang, Wang, Hu 2019: every third move is drawn from the two best columns.
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

# Qiu, Wang, Xu 2022: four algorithms, judged by games won and by total moves.
RANKED: Final = ("mcts-uct", "pvs", "alphabeta", "greedy")
"""As the source ranks them, the best one first."""

# Huang, Lu 2025: the seconds of the three levels.
LEVEL_GAMES: Final = 50
LEVEL_PAIRS: Final = (
    ("random", "minimax-windows", 4.19, "0-50-0"),
    ("random", "montecarlo-flat", 399.0, "0-50-0"),
    ("minimax-windows", "montecarlo-flat", 523.0, "18-32-0"),
)
"""Seconds and results of 50 games; the source gives the first one as 11.92 games a second."""

# Friedman, Bhamidipati 2016: two ideas that were abandoned, a cache and the islands.
CACHE_DEPTH: Final = 8
EVALS: Final = ("both", "groups", "threats", "islands")
THREATS: Final = "minimax-threats:time_ms=none,max_depth={},eval={}"
OPENING_PLIES: Final = range(4, 5)
"""Games begin after this many random moves: the players themselves draw nothing."""
MIDDLE_PLIES: Final = range(2, 20)

Cache = Literal["off", "exact", "mirror", "zobrist"]
CACHES: Final[tuple[tuple[Cache, int], ...]] = (
    ("off", 0),
    ("exact", 1_000),
    ("exact", 100_000),
    ("mirror", 100_000),
    ("zobrist", 100_000),
)

# Brewer 2017, as future work: a player that looks up stored games.
CORPUS_SIZES: Final = (0, 1_000, 10_000, 100_000)
CORPUS_SEED: Final = 2017


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
        rows.append(
            f"depth {depth} | {won}-{lost}-{SOURCE_GAMES - won - lost} | {first.text} | "
            f"{apart[0]:+.1f} | {second.text} | {apart[1]:+.1f} | {apart[2]:+.1f} | "
            f"{both.different:,}"
        )
    found = f"Within {NEAR:.0f} standard errors of the source: {'; '.join(fits) or 'nothing'}."
    headings = (
        " | source: features won-lost-drawn | features first | apart | squares first | apart | "
        "by turns, apart | different ends"
    )
    return Finding(headings, rows, found)


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
        rows.append(f"{subset} | {won} % | {shares[subset]:.1%} | {both.text} | {apart:+.1f}")
    best = max(shares, key=lambda subset: shares[subset])
    found = (
        f"Within {NEAR:.0f} standard errors of the source: {', '.join(near) or 'none'}. Here "
        f"{best} won most, {shares[best]:.1%}; all four won {shares['1234']:.1%}."
    )
    headings = "features | source: won | here: won | won-lost-drawn | apart"
    return Finding(headings, rows, found)


def _minimax_effort(positions: int, seed: int) -> Finding:
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
                f"{heuristic}, depth {depth} | {plain / positions:,.0f} | "
                f"{pruned / positions:,.0f} | {pruned / plain:.1%} | "
                f"{1e3 * plain_seconds / positions:,.3f} | {1e3 * seconds / positions:,.3f}"
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
    headings = " | nodes, plain | nodes | share | ms, plain | ms"
    return Finding(headings, rows, found)


def _deeper(games: int, seed: int) -> Finding:
    rows, worse = [], []
    for name, description in (("features", FEATURES), ("squares", SQUARES)):
        for shallow in DEPTHS[:-1]:
            deep = made(description.format(shallow + 2))
            both = play_both(deep, made(description.format(shallow)), games, seed)
            match = f"{name}: depth {shallow + 2} against {shallow}"
            worse += [match] if both.score <= 1 / 2 else []
            rows.append(f"{match} | {both.text} | {both.score:.1%} | {both.different:,}")
    found = f"The deeper one scored more in {len(rows) - len(worse)} of {len(rows)} matches."
    if worse:
        found = f"{found} Not so in {'; '.join(worse)}."
    return Finding(" | won-lost-drawn | score | different ends", rows, found)


def _lengths(games: int, seed: int) -> Finding:
    totals: dict[str, Games] = {}
    for pair in combinations(RANKED, 2):
        played = play_both(made(pair[0]), made(pair[1]), games, seed)
        for name, seen in zip(pair, (played, played.reversed()), strict=True):
            totals[name] = totals[name] + seen if name in totals else seen
    rows, means = [], {}
    for name, seen in totals.items():
        means[name] = seen.won_moves / max(1, seen.results.wins)
        rows.append(
            f"{name} | {seen.text} | {seen.score:.1%} | {means[name]:.1f} | "
            f"{seen.lost_moves / max(1, seen.results.losses):.1f} | "
            f"{seen.moves / seen.results.games:.1f}"
        )
    ranked = sorted(totals, key=lambda name: -totals[name].score)
    quickest = sorted(means, key=lambda name: means[name])
    found = (
        f"By score: {', '.join(ranked)}. By the length of the games that each won, the shortest "
        f"first: {', '.join(quickest)}."
    )
    headings = " | won-lost-drawn | score | moves, won | moves, lost | moves, all"
    return Finding(headings, rows, found)


def _seconds(games: int, seed: int) -> Finding:
    rows, gains = [], []
    for a, b, seconds, results in LEVEL_PAIRS:
        played = play_both(made(a), made(b), games, seed)
        here = played.seconds / games
        gains.append(seconds / LEVEL_GAMES / here)
        rows.append(
            f"{a} - {b} | {results} | {played.text} | {seconds / LEVEL_GAMES:.3f} | {here:.6f} | "
            f"{LEVEL_GAMES / seconds:,.2f} | {1 / here:,.0f} | {gains[-1]:,.0f}"
        )
    found = (
        f"A game takes {min(gains):,.0f} to {max(gains):,.0f} times less processor time here than "
        "seconds there: players in C, on another machine."
    )
    headings = (
        " | source: won-lost-drawn | here | source: s a game | here | source: games/s | here"
        " | times"
    )
    return Finding(headings, rows, found)


def _effort(
    positions: int, seed: int, *, heuristic: str, depth: int, cache: Cache = "off", size: int = 0
) -> tuple[int, float]:
    """Nodes and processor time of decisions in positions of random games."""
    sample = random_positions(positions, plies=MIDDLE_PLIES, seed=seed)
    nodes, began = 0, time.process_time()
    for position in sample:
        nodes += minimax(
            position,
            heuristic=heuristic,
            depth=depth,
            order=columns_from_centre(position.width),
            win=THREATS_WIN,
            killer_moves=True,
            deepens=True,
            keep_answer_if_lost=True,
            cache=cache,
            cache_size=size,
        ).nodes
    return nodes, time.process_time() - began


def _cache(positions: int, seed: int) -> Finding:
    rows, times = [], {}
    bare_nodes, bare_seconds = 0, 0.0
    for cache, size in CACHES:
        nodes, seconds = _effort(
            positions, seed, heuristic="both", depth=CACHE_DEPTH, cache=cache, size=size
        )
        if cache == "off":
            bare_nodes, bare_seconds = nodes, seconds
        name = "none" if cache == "off" else f"{cache}, {size:,} positions"
        times[name] = seconds / bare_seconds
        rows.append(
            f"{name} | {nodes / positions:,.0f} | {nodes / bare_nodes:.1%} | "
            f"{1e3 * seconds / positions:,.1f} | {times[name]:.1%} | {nodes / seconds / 1e6:.2f}"
        )
    slower = [name for name, share in times.items() if share > 1]
    best = min(times, key=lambda name: times[name])
    found = (
        f"At depth {CACHE_DEPTH} {', '.join(slower) or 'none of the caches'} took longer than no "
        f"cache; {best} took the least time, {times[best]:.1%}."
    )
    headings = "cache | nodes | of none | ms | of none | M nodes/s"
    return Finding(headings, rows, found)


def _islands(games: int, seed: int) -> Finding:
    depth = 6
    starts = random_positions(games, plies=OPENING_PLIES, seed=seed)
    effort = {
        name: _effort(max(1, games // 4), seed, heuristic=name, depth=depth) for name in EVALS
    }
    rows, scores = [], {}
    for name in EVALS[1:]:
        a, b = made(THREATS.format(depth, name)), made(THREATS.format(depth, "both"))
        played = play_both(a, b, games, seed, starts=starts)
        scores[name] = played.score
        nodes, seconds = effort[name]
        rows.append(f"{name} | {played.text} | {played.score:.1%} | {1e9 * seconds / nodes:,.0f}")
    per_node = {name: seconds / nodes for name, (nodes, seconds) in effort.items()}
    rows.append(f"both |  |  | {1e9 * per_node['both']:,.0f}")
    found = (
        f"At depth {depth} the islands alone score {scores['islands']:.1%} against groups and "
        f"threats together. A node takes {per_node['islands'] / per_node['both']:.2f} times as "
        "long as one of those."
    )
    headings = "value | won-lost-drawn against both | score | ns a node"
    return Finding(headings, rows, found)


def _corpus(games: int, seed: int) -> Finding:
    opponent = made("set")
    finals: list[Position] = []
    rows, scores = [], []
    for size in CORPUS_SIZES:
        while len(finals) < size:
            signals.check()
            record = play_game(opponent, opponent, seed=game_seed(CORPUS_SEED, len(finals)))
            finals.append(record.final())
        grids = FinalGrids.from_positions(finals) if finals else None
        for playouts in (1, 500):
            player = DatabaseMontecarlo(playouts=playouts, final_games=grids)
            played = play_both(player, opponent, games, seed)
            scores.append((size, playouts, played))
            per_game = 1e3 * played.seconds / games
            rows.append(
                f"{size:,} games | {playouts} | {played.text} | "
                f"{played.results.wins / games:.1%} | {per_game:.1f}"
            )
    without, most = scores[1][2], scores[-1][2]
    found = (
        f"With {CORPUS_SIZES[-1]:,} games and 500 playouts the player won {most.results.wins} of "
        f"{games}, without any game {without.results.wins}. With one playout, which is no help, "
        f"it won {scores[-2][2].results.wins} and {scores[0][2].results.wins}."
    )
    headings = "stored | playouts where there are few | won-lost-drawn | won | ms a game"
    return Finding(headings, rows, found)


_ALL: Final = (
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
        _minimax_effort,
    ),
    Experiment(
        "depths",
        "Kang, Wang, Hu 2019: is deeper better?",
        "Deeper is better; no numbers were available.",
        100,
        _deeper,
    ),
    Experiment(
        "lengths",
        "Qiu, Wang, Xu 2022: total moves",
        "Each pair plays 12 games by turns; wins and total moves are counted. Monte Carlo tree "
        "search wins most, before PVS, alpha-beta and greedy, and in relatively few moves. No "
        "numbers were available, neither the depths nor the number of iterations.",
        200,
        _lengths,
    ),
    Experiment(
        "seconds",
        "Huang, Lu 2025: the seconds of the three levels",
        "50 games of each pair by turns, with their seconds; the programs are in Python.",
        LEVEL_GAMES,
        _seconds,
    ),
    Experiment(
        "cache",
        "Friedman, Bhamidipati 2016: a cache that was slower than none",
        "A cache of limited size that forgets what was used least recently was slower than no "
        "cache.",
        54,
        _cache,
    ),
    Experiment(
        "islands",
        "Friedman, Bhamidipati 2016: what islands are worth",
        "Counting connected groups of stones was slow, cost depth, and was given up; an earlier "
        "draft says that it also made the valuation worse. There are no numbers.",
        400,
        _islands,
    ),
    Experiment(
        "corpus",
        "Brewer 2017: looking up stored games",
        "As future work: a player that finds the chance of winning with a column in the database "
        "of games, here games of `set` against itself, and plays against `set`. There are no "
        "numbers.",
        100,
        _corpus,
    ),
)
EXPERIMENTS: Final = {experiment.name: experiment for experiment in _ALL}
"""All experiments by name, in the order of the page."""
