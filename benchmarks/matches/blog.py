"""The matches of Williams 2022: the blog's tables, and those of its revisions before June 2022."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from benchmarks.matches.match import SourceMatch
from c4core.arena.statistics import Tally
from db.records.terms import Seats

if TYPE_CHECKING:
    from collections.abc import Iterator

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
# The same in 1,000 games of version 5 against itself, with the depths of red and of blue.
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


def published() -> Iterator[SourceMatch]:
    """The blog's last tables; version 2 by two readings."""
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


def earlier() -> Iterator[SourceMatch]:
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


def kept() -> Iterator[SourceMatch]:
    """The blog's results of version 2, by the reading that fits those at odd depths."""
    for match in published():
        for depth in _KEPT_DEPTHS:
            if match.a == f"blog-v2:depth={depth}":
                yield replace(
                    match, group="kept", a=f"{match.a},won_boards=kept", reading_of=match.name
                )


def readings() -> Iterator[SourceMatch]:
    """What a reading is worth: against players without a depth, and against the other reading."""
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
