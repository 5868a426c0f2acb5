"""The files of the opening books that come with this package."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SUFFIX: Final = ".c4book"

_DIRECTORY: Final = Path(__file__).parents[1] / "data"


def shipped_files() -> tuple[Path, ...]:
    """All files, sorted by name; none if the package was built without books."""
    return tuple(sorted(_DIRECTORY.glob(f"*{SUFFIX}")))
