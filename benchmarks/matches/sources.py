"""The matches that the source documents report, with their results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from c4core.arena.statistics import Tally
from db.records.terms import Seats

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """A match of a source document."""

    group: str
    """Its table; one of :data:`GROUPS`."""
    a: str
    """The description of player a; with fixed seats it moved first."""
    b: str
    """The description of player b."""
    reported: Tally | None
    """Player a's results; None if the source has no numbers."""
    games: int
    """The number of games in the source."""
    seats: Seats = Seats.FIXED
    """The side that moved first."""
    note: str = ""
    """A remark on the report."""
    is_slow: bool = False
    """Whether the match takes more than about a minute."""

    @property
    def name(self) -> str:
        """Group and players, which identify the match."""
        return f"{self.group}: {self.a} - {self.b}"


GROUPS: Final = {
    "versions": "Williams 2022: every version of the blog's player against the one before",
    "equal": "Williams 2022: the last version against itself, equal depths",
    "apart": "Williams 2022: the last version against itself, one level apart",
    "far": "Williams 2022: the last version against itself, two levels apart or more",
    "course": "Friedman, Bhamidipati 2016",
    "line": "Brewer 2017",
    "levels": "Huang, Lu 2025",
    "algorithms": "Qiu, Wang, Xu 2022: the setup; no numbers were available",
    "heuristics": "Kang, Wang, Hu 2019: both heuristics with every third move drawn",
}
"""The tables, in order, with their sources."""

# Red, blue, red's wins, losses and draws in 100 games, as corrected in the list of the sources'
# slips.
_VERSIONS: Final = """
v2 2 v3 2 53 34 13
v2 3 v3 3 26 74 0 "4-26-0" in the text
v2 4 v3 4 33 39 28
v2 5 v3 5 0 100 0
v3 2 v4 2 44 47 9
v3 3 v4 3 48 50 2
v3 4 v4 4 33 59 8
v3 5 v4 5 26 73 1
v4 2 v5 2 48 41 11
v4 3 v5 3 43 54 3
v4 4 v5 4 52 46 2
v4 5 v5 5 44 55 1
v5 0 v6 0 19 81 0
v5 1 v6 1 21 79 0
v5 2 v6 2 6 90 4
v5 3 v6 3 12 86 2
v5 4 v6 4 18 80 2
v5 5 v6 5 23 76 1
v5 6 v6 6 0 100 0
v5 3 v6 2 12 85 3
v5 4 v6 3 34 64 2
v5 5 v6 4 33 66 1
v5 6 v6 5 17 83 0
"""
_EQUAL: Final = """
v6 0 v6 0 42 56 2
v6 1 v6 1 49 51 0
v6 2 v6 2 67 29 4
v6 3 v6 3 16 84 0 the text says that red won
v6 4 v6 4 74 26 0
v6 5 v6 5 100 0 0
v6 6 v6 6 100 0 0 the published script draws
"""
_APART: Final = """
v6 0 v6 1 36 64 0
v6 1 v6 2 28 71 1
v6 2 v6 3 48 52 0
v6 3 v6 4 0 100 0
v6 4 v6 5 0 100 0
v6 5 v6 6 0 100 0
"""
_FAR: Final = """
v6 0 v6 2 10 89 1
v6 1 v6 3 9 91 0
v6 2 v6 4 42 30 28
v6 3 v6 5 0 53 47
v6 4 v6 6 53 47 0
v6 0 v6 3 7 93 0
v6 1 v6 4 0 89 11
v6 2 v6 5 26 74 0
v6 3 v6 6 44 49 7
"""
_BLOG_GAMES: Final = 100


def all_matches() -> list[SourceMatch]:
    """Every match, by table."""
    return [*_blog(), *_course(), *_line(), *_levels(), *_algorithms(), *_heuristics()]


def _blog() -> Iterator[SourceMatch]:
    tables = (("versions", _VERSIONS), ("equal", _EQUAL), ("apart", _APART), ("far", _FAR))
    for group, table in tables:
        for line in table.strip().splitlines():
            red, red_depth, blue, blue_depth, wins, losses, draws, *note = line.split(maxsplit=7)
            yield SourceMatch(
                group,
                f"blog-{red}:depth={red_depth}",
                f"blog-{blue}:depth={blue_depth}",
                Tally(int(wins), int(losses), int(draws)),
                _BLOG_GAMES,
                note=" ".join(note),
            )


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
    )


def _line() -> Iterator[SourceMatch]:
    for fallback in ("vector", "column"):
        yield SourceMatch(
            "line",
            "random",
            f"set:fallback={fallback}",
            Tally(10, 490),
            500,
            Seats.RANDOM,
            note='"about 2 %"',
        )


def _levels() -> Iterator[SourceMatch]:
    for a, b, wins in (
        ("random", "minimax-windows", 0),
        ("random", "montecarlo-flat", 0),
        ("minimax-windows", "montecarlo-flat", 18),
    ):
        yield SourceMatch("levels", a, b, Tally(wins, 50 - wins), 50, Seats.ALTERNATE)
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
    players = ("mcts-uct", "pvs", "alphabeta", "greedy")
    for place, a in enumerate(players):
        for b in players[place + 1 :]:
            yield SourceMatch("algorithms", a, b, None, 12, Seats.ALTERNATE)


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
