"""The matches that the source documents report, with their results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from c4core.arena.statistics import Tally
from db.records.matches import Seats

if TYPE_CHECKING:
    from collections.abc import Iterator

GROUPS: Final = {
    "versions": "Williams 2022: every version of the blog's player against the one before",
    "equal": "Williams 2022: the last version against itself, equal depths",
    "apart": "Williams 2022: the last version against itself, one level apart",
    "far": "Williams 2022: the last version against itself, two levels apart or more",
    "earlier": "Williams, before June 2022: version 5 against itself",
    "kept": "Williams 2022: version 2 if it keeps a won board for one more round",
    "readings": "Williams 2022: other readings compared; the source has no numbers",
    "course": "Friedman, Bhamidipati 2016",
    "line": "Brewer 2017",
    "levels": "Huang, Lu 2025",
    "algorithms": "Qiu, Wang, Xu 2022: the setup; no numbers were available",
    "heuristics": "Kang, Wang, Hu 2019: both heuristics with every third move drawn",
}
"""The tables, in order, with their sources."""

# Red, blue, red's wins, losses and draws in 100 games. Errors in the sources are corrected.
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
# Version 5 against itself in 1,000 games: the depths of red and blue, then the results as above.
_EARLIER: Final = """
0 0 544 451 5
1 1 554 446 0
2 2 471 416 113
3 3 488 494 18
4 4 495 475 30
5 5 507 483 10
6 6 490 402 108
0 1 290 710 0
1 2 122 876 2
2 3 382 584 34
3 4 310 681 9
4 5 362 607 31
5 6 398 587 15
0 2 47 947 6
1 3 121 878 1
2 4 199 765 36
3 5 176 815 9
4 6 262 692 46
0 3 33 967 0
1 4 14 986 0
2 5 90 893 17
3 6 140 850 10
"""
_GAMES: Final = 100
_EARLIER_GAMES: Final = 1000
_KEPT_DEPTHS: Final = (3, 4, 5)
_OPENING_DEPTHS: Final = (2, 3, 4, 5, 6)


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """A match in a source document."""

    group: str
    """The table; one of :data:`GROUPS`."""
    a: str
    """The description of player a, which moves first if seats are fixed."""
    b: str
    reported: Tally | None
    """Player a's results; None if the source has no numbers."""
    games: int
    seats: Seats = Seats.FIXED
    note: str = ""
    is_slow: bool = False
    """Whether the match takes more than about a minute."""
    reading_of: str = ""
    """The name of the match with the first reading of the source, if this is another reading."""
    claimed: Literal["a", "b"] | None = None
    """The side that the source calls better in words, with or without numbers."""

    @property
    def name(self) -> str:
        """The group and the players, which identify the match."""
        return f"{self.group}: {self.a} - {self.b}"

    @property
    def result(self) -> str:
        """The name of the source's result; all readings of one result share it."""
        return self.reading_of or self.name


def all_matches() -> list[SourceMatch]:
    """Every match, by table."""
    return [
        *_published(),
        *_earlier(),
        *_kept(),
        *_readings(),
        *_course(),
        *_line(),
        *_levels(),
        *_algorithms(),
        *_heuristics(),
    ]


def _course() -> Iterator[SourceMatch]:
    # In the source, one player moved first in three of five games, and in five of ten.
    for opponent, wins in (("stupid", 5), ("random", 5), ("montecarlo-timed", 10)):
        results = Tally(wins, 0)
        yield SourceMatch(
            "course", "minimax-threats", opponent, results, wins, Seats.ALTERNATE, is_slow=True
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
    players = ("mcts-uct", "pvs", "alphabeta", "greedy")  # in the order of the ranking, best first
    for place, a in enumerate(players):
        for b in players[place + 1 :]:
            yield SourceMatch("algorithms", a, b, None, 12, Seats.ALTERNATE, claimed="a")


def _heuristics() -> Iterator[SourceMatch]:
    # Percentages of games won and lost; the rest was drawn.
    for depth, wins, losses in ((2, 24, 76), (4, 60, 39), (6, 76, 22), (8, 81, 19)):
        yield SourceMatch(
            "heuristics",
            f"minimax-features:depth={depth},random_move=on",
            f"minimax-squares:depth={depth},random_move=on",
            Tally(wins, losses, 100 - wins - losses),
            100,
            Seats.ALTERNATE,
            note="second-hand; the first player is not stated",
            is_slow=depth >= 6,  # noqa: PLR2004
        )


def _published() -> Iterator[SourceMatch]:
    """The blog's last tables, with two readings of version 2."""
    tables = (("versions", _VERSIONS), ("equal", _EQUAL), ("apart", _APART), ("far", _FAR))
    for group, table in tables:
        for line in table.strip().splitlines():
            red, red_depth, blue, blue_depth, wins, losses, draws, *note = line.split(maxsplit=7)
            yield SourceMatch(
                group,
                f"blog-{red}:depth={red_depth}",
                f"blog-{blue}:depth={blue_depth}",
                Tally(int(wins), int(losses), int(draws)),
                _GAMES,
                note=" ".join(note),
            )


def _earlier() -> Iterator[SourceMatch]:
    """The tables of the blog's revisions before June 2022."""
    for line in _EARLIER.strip().splitlines():
        red, blue, wins, losses, draws = map(int, line.split())
        yield SourceMatch(
            "earlier",
            f"blog-v5:depth={red}",
            f"blog-v5:depth={blue}",
            Tally(wins, losses, draws),
            _EARLIER_GAMES,
        )


def _kept() -> Iterator[SourceMatch]:
    """The blog's results of version 2, by the reading that fits the results at odd depths."""
    for match in _published():
        for depth in _KEPT_DEPTHS:
            if match.a == f"blog-v2:depth={depth}":
                yield replace(
                    match, group="kept", a=f"{match.a},won_boards=kept", reading_of=match.name
                )


def _readings() -> Iterator[SourceMatch]:
    """Matches that compare a reading with players without a depth, and with the other reading."""
    pairs = [
        (f"blog-v2:depth={depth}{reading}", opponent)
        for depth in _KEPT_DEPTHS
        for opponent in ("random", "blog-v1")
        for reading in ("", ",won_boards=kept")
    ]
    pairs += [
        (f"blog-v5:depth={depth},opening=random", f"blog-v5:depth={depth}")
        for depth in _OPENING_DEPTHS
    ]
    for a, b in pairs:
        yield SourceMatch("readings", a, b, None, _GAMES, Seats.ALTERNATE)
