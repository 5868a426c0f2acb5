"""The files of figures, ``benchmarks/results/SUBJECT.json``, all in one format.

::

    {"format": 1,
     "parts": {"build 8": {"made": {"date": "2026-01-31", "command": "...", "commit": "...",
                                    "machine": {"processor": "...", "cores": 2, "system": "..."},
                                    "versions": {"C4": "...", "Python": "..."}},
                           "figures": ...}, ...}}

A part holds the figures of one measurement; measuring again replaces them.
"""

from __future__ import annotations

import datetime as dt
import json
import platform
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from c4core.version import ENGINE_VERSION, __version__
from cli.measuring import processor
from db.urls import masked
from workers.configuration import usable_cores

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results"
FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Made:
    """The conditions under which figures were made. Older figures lack some fields."""

    date: str = ""
    """The day, in ISO 8601."""
    command: str = ""
    """The command, without passwords and directories."""
    commit: str = ""
    """The commit of the checkout, with ``+`` if files were changed."""
    machine: dict[str, str | int] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @classmethod
    def here(cls, **versions: str) -> Made:
        """The conditions of this process, with the versions of other programs involved."""
        arguments = map(masked, sys.argv[1:])
        return cls(
            dt.datetime.now(dt.UTC).date().isoformat(),
            without_directories(shlex.join(["python", "-m", "benchmarks", *arguments])),
            _commit(),
            {
                "processor": processor(),
                "cores": usable_cores(),
                "system": f"{platform.system()} {platform.machine()}",
            },
            {
                "C4": f"{__version__} (engine {ENGINE_VERSION})",
                "Python": platform.python_version(),
                **versions,
            },
        )


@dataclass(frozen=True, slots=True)
class Part:
    """The figures of a measurement, and the conditions under which they were made."""

    made: Made
    figures: Any


class Results:
    """The directory of the files of figures."""

    def __init__(self, directory: Path = RESULTS) -> None:
        self.directory = directory

    def read(self, subject: str) -> dict[str, Part]:
        """The parts of a subject; empty if it has no file.

        Raises:
            ValueError: the file has another format.
        """
        path = self.directory / f"{subject}.json"
        if not path.exists():
            return {}
        entries = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(entries, dict) or entries.get("format") != FORMAT:
            raise ValueError(f"{path} does not hold figures in format {FORMAT}")
        return {
            name: Part(Made(**part["made"]), part["figures"])
            for name, part in entries["parts"].items()
        }

    def keep(self, subject: str, name: str, figures: object, **versions: str) -> None:
        """Store the figures of a part, replacing older ones."""
        parts = self.read(subject) | {name: Part(Made.here(**versions), figures)}
        entries = {"format": FORMAT, "parts": {each: asdict(parts[each]) for each in parts}}
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self.directory / f"{subject}.json"
        path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")


def without_directories(command: str) -> str:
    """A command line for publication, with only the last component of absolute paths."""
    return re.sub(r"(?<![^\s='\"])/(?:[^/\s]+/)+", "", command)


@cache
def _commit() -> str:
    git = shutil.which("git")
    if git is None or not (ROOT / ".git").exists():
        return ""
    said = [
        subprocess.run([git, *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout
        for words in (("rev-parse", "--short", "HEAD"), ("status", "--porcelain"))
    ]
    return said[0].strip() + ("+" if said[1] else "")
