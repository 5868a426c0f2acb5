"""The file of findings: each with its command, its sample, the day and the machine."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from benchmarks.experiments.experiment import Finding
from benchmarks.record import read_json, these_versions, this_machine, today, write_json

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Run:
    """A finding, and how it was made."""

    finding: Finding
    sample: int
    seed: int
    command: str
    date: str
    machine: dict[str, str | int]
    versions: dict[str, str]
    seconds: float
    """Processor time."""

    @classmethod
    def of(cls, finding: Finding, *, sample: int, seed: int, command: str, seconds: float) -> Run:
        """A finding that was made now and here."""
        return cls(
            finding,
            sample,
            seed,
            command,
            today(),
            this_machine(),
            these_versions(),
            round(seconds, 1),
        )


def read(path: Path) -> dict[str, Run]:
    """The runs that a file holds, by experiment; none if there is no file.

    Raises:
        ValueError: the file holds something else.
    """
    if not path.exists():
        return {}
    entries = read_json(path, what="findings of experiments", form=FORMAT)
    return {name: _run(entry) for name, entry in entries["experiments"].items()}


def write(path: Path, runs: dict[str, Run]) -> None:
    """Write a file of runs."""
    experiments = {name: asdict(run) for name, run in runs.items()}
    write_json(path, {"format": FORMAT, "experiments": experiments})


def _run(entry: dict[str, Any]) -> Run:
    said = entry.pop("finding")
    rows = tuple(map(tuple, said["rows"]))
    return Run(Finding(tuple(said["headings"]), rows, said["found"]), **entry)
