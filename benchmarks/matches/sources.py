"""The matches that the source documents report, with their results."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Literal, cast

from c4core.arena.statistics import Tally
from db.records.matches import Seats

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

FILE: Final = Path(__file__).with_name("sources.csv")
"""One match a line. Errors in the sources are corrected, percentages are games of a hundred.

In Friedman's matches one player moved first in three of five games, and in five of ten.
"""


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


@cache
def all_matches() -> list[SourceMatch]:
    """Every match, by table."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [_match(**row) for row in csv.DictReader(file)]


def _match(  # noqa: PLR0917 (the columns)
    group: str, a: str, b: str, games: str, seats: str, slow: str, claimed: str, **more: str
) -> SourceMatch:
    counts = [more[name] for name in ("wins", "losses", "draws")]
    return SourceMatch(
        group,
        a,
        b,
        Tally(*map(int, counts)) if all(counts) else None,
        int(games),
        Seats(seats),
        note=more["note"],
        is_slow=bool(slow),
        reading_of=more["reading_of"],
        claimed=cast('Literal["a", "b"]', claimed) if claimed else None,
    )
