"""The opening books that are shipped with this package."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SUFFIX: Final = ".c4book"

_DIRECTORY: Final = Path(__file__).parents[1] / "data"


def shipped_files() -> tuple[Path, ...]:
    """The files of all shipped books, sorted by name; none if the package was built without."""
    return tuple(sorted(_DIRECTORY.glob(f"*{SUFFIX}")))
