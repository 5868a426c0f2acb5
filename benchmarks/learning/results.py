"""The results of all parts in one JSON file; new results of a part replace its old ones.

::

    {"format": 1, "machine": {...}, "versions": {...},
     "parts": {"cnn": {"date": "2026-01-31", "command": "...", ..}, "exact": {...}, ..}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from benchmarks.record import (
    read_json,
    these_versions,
    this_command,
    this_machine,
    today,
    version_of,
    write_json,
)

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 1
PARTS: Final = (
    "cnn",
    "games",
    "seeds",
    "exact",
    "selfplay",
    "matches",
    "learners",
    "curve",
    "opponents",
)

Results = dict[str, Any]


def read(path: Path) -> Results:
    """Read a file that :func:`write_part` made.

    Raises:
        ValueError: the file has another content.
    """
    return read_json(path, what="results of learning", form=FORMAT)


def write_part(path: Path, name: str, part: Results) -> None:
    """Put a part into the file, with the day and the command of its measurement."""
    results: Results = read(path) if path.exists() else {"format": FORMAT, "parts": {}}
    results["machine"] = this_machine()
    results["versions"] = these_versions() | {"PyTorch": version_of("torch")}
    results["parts"][name] = {
        "date": today(),
        "command": this_command("benchmarks.learning"),
        **part,
    }
    write_json(path, results)
