"""What the parts have come to, as one JSON file: a part that is done again replaces its own.

::

    {"format": 1, "machine": {...}, "versions": {...},
     "parts": {"cnn": {"date": "2026-01-31", "command": "...", ..}, "exact": {...}, ..}}
"""

from __future__ import annotations

import json
import shlex
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from benchmarks.engine.results import these_versions, this_machine, version_of, without_directories

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 1
PARTS: Final = ("cnn", "games", "seeds", "exact", "selfplay", "matches")

Results = dict[str, Any]


def read(path: Path) -> Results:
    """Read a file that :func:`write_part` made.

    Raises:
        ValueError: it is no such file.
    """
    found = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ValueError(f"{path}: no results of learning in format {FORMAT}")
    return found


def write_part(path: Path, name: str, part: Results) -> None:
    """Put a part into the file, with the day and the command that made it."""
    results: Results = read(path) if path.exists() else {"format": FORMAT, "parts": {}}
    results["machine"] = this_machine()
    results["versions"] = these_versions() | {"PyTorch": version_of("torch")}
    command = shlex.join(["python", "-m", "benchmarks.learning", *sys.argv[1:]])
    results["parts"][name] = {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "command": without_directories(command),
        **part,
    }
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
