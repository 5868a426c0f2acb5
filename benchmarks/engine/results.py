"""The results of a run as one JSON file.

::

    {"format": 1, "date": "2026-01-31", "command": "...", "positions": "...", "table": "...",
     "machine": {"processor": "...", "cores": 2, "system": "..."},
     "versions": {"c4": "0.1.0", ...},
     "measurements": [{"group": "classes", "case": "begin-hard", "solver": "C4", ...}, ...]}

``measurements`` are the fields of :class:`Measurement`.
"""

from __future__ import annotations

import json
import platform
import re
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import TYPE_CHECKING

from c4core.version import ENGINE_VERSION, __version__
from cli.bench.machine import processor
from cli.bench.timing import Spread
from cli.shell.parameters import usable_cores

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Measurement:
    """One solver on one case, repeated."""

    group: str
    """Which kind of measurement: the name of a group of cases."""
    case: str
    """What was done."""
    solver: str
    """Who did it."""
    count: int
    """Positions solved, or calls made, in each repetition."""
    cpu: list[float]
    """Processor seconds of each repetition."""
    wall: list[float]
    """Wall-clock seconds of each repetition."""
    nodes: int | None = None
    """Positions searched in a repetition, where the solver tells."""
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
    """Everything that one run found, and where it was found."""

    date: str
    """Day of the run, ISO 8601."""
    command: str
    """The command line that was run."""
    positions: str
    """Where the positions of the classes came from."""
    table: str
    """What becomes of a solver's table between positions."""
    machine: dict[str, str | int]
    """Processor, cores, system."""
    versions: dict[str, str]
    """Version by name of program."""
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
        """Write the file; directories are made."""
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"format": FORMAT, **asdict(self)}, indent=1)
        path.write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Results:
        """Read a file that :meth:`write` made.

        Raises:
            ValueError: it is no such file.
        """
        fields = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(fields, dict) or fields.pop("format", None) != FORMAT:
            raise ValueError(f"{path}: no results of a benchmark in format {FORMAT}")
        measurements = [Measurement(**entry) for entry in fields.pop("measurements")]
        return cls(**fields, measurements=measurements)


def this_machine() -> dict[str, str | int]:
    """What the figures depend on besides the program."""
    return {
        "processor": processor(),
        "cores": usable_cores(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def these_versions() -> dict[str, str]:
    """Versions of the engine and of the Python that calls it."""
    return {
        "C4": f"{__version__} (engine {ENGINE_VERSION})",
        "Python": platform.python_version(),
    }


def version_of(distribution: str) -> str:
    """The version of an installed package."""
    return metadata.version(distribution)


def without_directories(command: str) -> str:
    """A command line whose absolute paths are cut to their last part: what to publish of it."""
    return re.sub(r"(?<![^\s='\"])/(?:[^/\s]+/)+", "", command)
