"""The outcomes of the matches that were played again, as one JSON file.

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
    """A match that was played again."""

    name: str
    """As :attr:`benchmarks.matches.sources.SourceMatch.name`."""
    wins: int
    """Games that player a won."""
    losses: int
    """Games that player b won."""
    draws: int
    """Games that nobody won."""
    distinct: int
    """How many of the games are different."""
    seconds: float
    """Seconds of all moves together."""
    moves: float
    """Moves of a game on average."""
    seed: int
    """The match's seed."""

    @property
    def results(self) -> Tally:
        """Player a's results."""
        return Tally(self.wins, self.losses, self.draws)

    @property
    def seconds_per_game(self) -> float:
        """The mean seconds of a game's moves."""
        return self.seconds / self.results.games

    @classmethod
    def of(cls, name: str, report: MatchReport) -> Outcome:
        """From a report."""
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
    """Everything that was played, and where."""

    date: str
    """Day of the last run, ISO 8601."""
    commands: list[str]
    """The command lines, in the order in which they were first run."""
    machine: dict[str, str | int]
    """Processor, cores, system."""
    versions: dict[str, str]
    """Version by name of program."""
    matches: list[Outcome] = field(default_factory=list)
    """With as many games as the source, in the order in which they were played."""
    longer: list[Outcome] = field(default_factory=list)
    """With more games than the source, likewise."""

    def find(self, name: str, *, longer: bool = False) -> Outcome | None:
        """The outcome of a match, or None where it was not played."""
        outcomes = self.longer if longer else self.matches
        return next((outcome for outcome in outcomes if outcome.name == name), None)

    def keep(self, outcome: Outcome, *, longer: bool) -> None:
        """Keep an outcome, which replaces an older one of its match."""
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
