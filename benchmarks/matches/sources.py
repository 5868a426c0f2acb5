"""The matches that the source documents report, with their results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from benchmarks.matches import blog
from benchmarks.matches.match import SourceMatch
from c4core.arena.statistics import Tally
from db.records.terms import Seats

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS: Final = {
    "versions": "Williams 2022: every version of the blog's player against the one before",
    "equal": "Williams 2022: the last version against itself, equal depths",
    "apart": "Williams 2022: the last version against itself, one level apart",
    "far": "Williams 2022: the last version against itself, two levels apart or more",
    "earlier": "Williams, before June 2022: version 5 against itself",
    "kept": "Williams 2022: version 2 if it keeps a won board for one more round",
    "readings": "Williams 2022: what other readings are worth; the source has no numbers",
    "course": "Friedman, Bhamidipati 2016",
    "line": "Brewer 2017",
    "levels": "Huang, Lu 2025",
    "algorithms": "Qiu, Wang, Xu 2022: the setup; no numbers were available",
    "heuristics": "Kang, Wang, Hu 2019: both heuristics with every third move drawn",
}
"""The tables, in order, with their sources."""


def all_matches() -> list[SourceMatch]:
    """Every match, by table."""
    return [
        *blog.published(),
        *blog.earlier(),
        *blog.kept(),
        *blog.readings(),
        *_course(),
        *_line(),
        *_levels(),
        *_algorithms(),
        *_heuristics(),
    ]


def _course() -> Iterator[SourceMatch]:
    # In the source, one player moved first in three of five games, and in five of ten.
    for opponent, wins, is_slow in (
        ("stupid", 5, True),
        ("random", 5, True),
        ("montecarlo-timed", 10, True),
    ):
        yield SourceMatch(
            "course",
            "minimax-threats",
            opponent,
            Tally(wins, 0),
            wins,
            Seats.ALTERNATE,
            is_slow=is_slow,
        )
    yield SourceMatch(
        "course",
        "minimax-threats:time_ms=none,max_depth=6",
        "montecarlo-timed:time_ms=none,playouts=20000",
        Tally(10, 0),
        10,
        Seats.ALTERNATE,
        note="here without the clock, so that it repeats",
        reading_of="course: minimax-threats - montecarlo-timed",
    )


def _line() -> Iterator[SourceMatch]:
    for fallback, reading_of in (
        ("vector", ""),
        ("column", "line: random - set:fallback=vector"),
    ):
        yield SourceMatch(
            "line",
            "random",
            f"set:fallback={fallback}",
            Tally(10, 490),
            500,
            Seats.RANDOM,
            note='"about 2 %"',
            reading_of=reading_of,
        )


def _levels() -> Iterator[SourceMatch]:
    for a, b, wins in (
        ("random", "minimax-windows", 0),
        ("random", "montecarlo-flat", 0),
        ("minimax-windows", "montecarlo-flat", 18),
    ):
        results = Tally(wins, 50 - wins)
        yield SourceMatch("levels", a, b, results, 50, Seats.ALTERNATE, claimed="b")
    yield SourceMatch(
        "levels",
        "minimax-windows",
        "montecarlo-flat:center_weight=1",
        None,
        50,
        Seats.ALTERNATE,
        note="the middle counted once",
    )


def _algorithms() -> Iterator[SourceMatch]:
    players = ("mcts-uct", "pvs", "alphabeta", "greedy")  # ranked so, the best one first
    for place, a in enumerate(players):
        for b in players[place + 1 :]:
            yield SourceMatch("algorithms", a, b, None, 12, Seats.ALTERNATE, claimed="a")


def _heuristics() -> Iterator[SourceMatch]:
    # Shares of games won; the rest up to 1 was drawn.
    for depth, wins, losses in ((2, 24, 76), (4, 60, 39), (6, 76, 22), (8, 81, 19)):
        yield SourceMatch(
            "heuristics",
            f"minimax-features:depth={depth},random_move=on",
            f"minimax-squares:depth={depth},random_move=on",
            Tally(wins, losses, 100 - wins - losses),
            100,
            Seats.ALTERNATE,
            note="second-hand; who moved first is not told",
            is_slow=depth >= 6,  # noqa: PLR2004
        )
