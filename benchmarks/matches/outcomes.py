"""The outcomes of the repeated matches in one JSON file.

::

    {"format": 2, "date": "2026-01-31", "commands": [...], "machine": {...}, "versions": {...},
     "matches": [{"name": "equal: blog-v6:depth=2 - blog-v6:depth=2", "wins": 67, ...}, ...],
     "longer": [{"name": "equal: blog-v6:depth=2 - blog-v6:depth=2", "wins": 1340, ...}, ...]}
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from benchmarks.record import read_json, write_json
from c4core.arena.statistics import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from workers.matches.reports.report import MatchReport

FORMAT = 2

LISTS = ("matches", "longer")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a repeated match."""

    name: str
    """The :attr:`benchmarks.matches.match.SourceMatch.name` of the match."""
    wins: int
    """Games that player a won."""
    losses: int
    """Games that player b won."""
    draws: int
    """Drawn games."""
    distinct: int
    """The number of different games."""
    seconds: float
    """Seconds that all moves took."""
    moves: float
    """The mean number of moves of a game."""
    seed: int
    """The match's seed."""

    @property
    def results(self) -> Tally:
        """Player a's results."""
        return Tally(self.wins, self.losses, self.draws)

    @property
    def seconds_per_game(self) -> float:
        """The mean seconds of a game."""
        return self.seconds / self.results.games

    @classmethod
    def of(cls, name: str, report: MatchReport) -> Outcome:
        """The outcome from a match's report."""
        results = report.a.results
        return cls(
            name,
            results.wins,
            results.losses,
            results.draws,
            report.distinct,
            round(report.seconds, 6),
            round(report.mean_length or 0.0, 2),
            report.match.terms.seed,
        )


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All repeated matches, and the machine and versions behind them."""

    date: str
    """Day of the last run, ISO 8601."""
    commands: list[str]
    """The command lines, in the order in which they were first run."""
    machine: dict[str, str | int]
    """Processor, cores, system."""
    versions: dict[str, str]
    """The version of each program, by its name."""
    matches: list[Outcome] = field(default_factory=list)
    """Matches with as many games as in the source, in the order of play."""
    longer: list[Outcome] = field(default_factory=list)
    """Matches with more games than in the source, in the order of play."""

    def find(self, name: str, *, longer: bool = False) -> Outcome | None:
        """The outcome of a match; None if it was not played."""
        outcomes = self.longer if longer else self.matches
        return next((outcome for outcome in outcomes if outcome.name == name), None)

    def keep(self, outcome: Outcome, *, longer: bool) -> None:
        """Keep an outcome in place of an older one of its match."""
        outcomes = self.longer if longer else self.matches
        outcomes[:] = [*(each for each in outcomes if each.name != outcome.name), outcome]

    def write(self, path: Path) -> None:
        """Write the file."""
        write_json(path, {"format": FORMAT, **asdict(self)})

    @classmethod
    def read(cls, path: Path) -> Outcomes:
        """Read a file that :meth:`write` made.

        Raises:
            ValueError: the file has another format.
        """
        fields = read_json(path, what="outcomes of matches", form=FORMAT)
        del fields["format"]
        matches, longer = ([Outcome(**each) for each in fields.pop(name)] for name in LISTS)
        return cls(**fields, matches=matches, longer=longer)
