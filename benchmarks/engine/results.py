"""The results of a run as one JSON file.

::

    {"format": 1, "date": "2026-01-31", "command": "...", "positions": "...", "table": "...",
     "machine": {"processor": "...", "cores": 2, "system": "..."},
     "versions": {"c4": "0.1.0", ...},
     "measurements": [{"group": "classes", "case": "begin-hard", "solver": "C4", ...}, ...]}

``measurements`` are the fields of :class:`Measurement`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from benchmarks.record import read_json, write_json
from cli.bench.timing import Spread

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Measurement:
    """The repetitions of one solver on one case."""

    group: str
    """The kind of measurement."""
    case: str
    """What was done."""
    solver: str
    """The solver's name."""
    count: int
    """Positions solved, or calls made, in each repetition."""
    cpu: list[float]
    """Processor seconds of each repetition."""
    wall: list[float]
    """Wall-clock seconds of each repetition."""
    nodes: int | None = None
    """Positions searched in a repetition; None if the solver does not count them."""
    wrong: int = 0
    """Answers that differ from the known score."""
    threads: int = 1
    """Threads that the solver was told to use."""

    @property
    def each(self) -> Spread:
        """Processor seconds of one position or call."""
        return Spread.of([seconds / self.count for seconds in self.cpu])

    @property
    def elapsed(self) -> Spread:
        """Wall-clock seconds of a repetition."""
        return Spread.of(self.wall)

    @property
    def nodes_each(self) -> float | None:
        """Positions searched for one position."""
        return None if self.nodes is None else self.nodes / self.count


@dataclass(frozen=True, slots=True)
class Results:
    """All measurements of one run, and the machine and versions behind them."""

    date: str
    """Day of the run, ISO 8601."""
    command: str
    """The command line that was run."""
    positions: str
    """The origin of the positions of the classes."""
    table: str
    """Whether a solver's table is kept or emptied between positions."""
    machine: dict[str, str | int]
    """Processor, cores, system."""
    versions: dict[str, str]
    """The version of each program, by its name."""
    measurements: list[Measurement] = field(default_factory=list)
    """In the order in which they were made."""

    @property
    def wrong(self) -> int:
        """Wrong answers of all solvers together."""
        return sum(measurement.wrong for measurement in self.measurements)

    def group(self, name: str) -> list[Measurement]:
        """The measurements of one group."""
        return [measurement for measurement in self.measurements if measurement.group == name]

    def write(self, path: Path) -> None:
        """Write the file."""
        write_json(path, {"format": FORMAT, **asdict(self)})

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read a file that :meth:`write` made.

        Raises:
            ValueError: the file has another format.
        """
        fields = read_json(path, what="results of a benchmark", form=FORMAT)
        del fields["format"]
        measurements = [Measurement(**entry) for entry in fields.pop("measurements")]
        return cls(**fields, measurements=measurements)
