"""A match that a source document reports, as it is played again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from db.records.terms import Seats

if TYPE_CHECKING:
    from c4core.arena.statistics import Tally


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
    reading_of: str = ""
    """The name of the match whose result this is, if another reading of the source is played."""
    claimed: Literal["a", "b"] | None = None
    """The side that the source calls better in words, beside or in place of numbers."""

    @property
    def name(self) -> str:
        """Group and players, which identify the match."""
        return f"{self.group}: {self.a} - {self.b}"

    @property
    def result(self) -> str:
        """Which result of a source it is: readings of one result have the same."""
        return self.reading_of or self.name
