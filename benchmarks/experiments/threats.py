"""Friedman, Bhamidipati 2016: what was abandoned, a cache and the islands."""

from __future__ import annotations

import time
from typing import Final, Literal

from benchmarks.experiments.experiment import Experiment, Finding
from benchmarks.experiments.playing import made, play_both, random_positions
from c4core.players.minimax import minimax
from c4core.players.player import columns_from_centre
from c4core.players.roster.minimax import THREATS_WIN

DEPTH: Final = 8
EVALS: Final = ("both", "groups", "threats", "islands")
PLAYER: Final = "minimax-threats:time_ms=none,max_depth={},eval={}"
OPENING_PLIES: Final = range(4, 5)
"""Games begin after so many random moves: the players themselves draw nothing."""
MIDDLE_PLIES: Final = range(2, 20)

Cache = Literal["off", "exact", "mirror", "zobrist"]
CACHES: Final[tuple[tuple[Cache, int], ...]] = (
    ("off", 0),
    ("exact", 1_000),
    ("exact", 100_000),
    ("mirror", 100_000),
    ("zobrist", 100_000),
)


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
            positions, seed, heuristic="both", depth=DEPTH, cache=cache, size=size
        )
        if cache == "off":
            bare_nodes, bare_seconds = nodes, seconds
        name = "none" if cache == "off" else f"{cache}, {size:,} positions"
        times[name] = seconds / bare_seconds
        rows.append(
            (
                name,
                f"{nodes / positions:,.0f}",
                f"{nodes / bare_nodes:.1%}",
                f"{1e3 * seconds / positions:,.1f}",
                f"{times[name]:.1%}",
                f"{nodes / seconds / 1e6:.2f}",
            )
        )
    slower = [name for name, share in times.items() if share > 1]
    best = min(times, key=lambda name: times[name])
    found = (
        f"At depth {DEPTH} {', '.join(slower) or 'none of the caches'} took longer than no cache; "
        f"the least time took {best}, {times[best]:.1%}."
    )
    headings = ("cache", "nodes", "of none", "ms", "of none", "M nodes/s")
    return Finding(headings, tuple(rows), found)


def _islands(games: int, seed: int) -> Finding:
    depth = 6
    starts = random_positions(games, plies=OPENING_PLIES, seed=seed)
    effort = {
        name: _effort(max(1, games // 4), seed, heuristic=name, depth=depth) for name in EVALS
    }
    rows, scores = [], {}
    for name in EVALS[1:]:
        a, b = made(PLAYER.format(depth, name)), made(PLAYER.format(depth, "both"))
        played = play_both(a, b, games, seed, starts=starts)
        scores[name] = played.score
        nodes, seconds = effort[name]
        rows.append((name, played.text, f"{played.score:.1%}", f"{1e9 * seconds / nodes:,.0f}"))
    per_node = {name: seconds / nodes for name, (nodes, seconds) in effort.items()}
    rows.append(("both", "", "", f"{1e9 * per_node['both']:,.0f}"))
    found = (
        f"At depth {depth} the islands alone score {scores['islands']:.1%} against groups and "
        f"threats together. A node takes {per_node['islands'] / per_node['both']:.2f} times as "
        "long as one of those."
    )
    headings = ("value", "won-lost-drawn against both", "score", "ns a node")
    return Finding(headings, tuple(rows), found)


EXPERIMENTS: Final = (
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
)
