"""The files of the opening books that come with this package."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SUFFIX: Final = ".c4book"

_DIRECTORY: Final = Path(__file__).parents[1] / "data"


def shipped_files() -> tuple[Path, ...]:
    """All of them, in the order of their names; none where the package was made without."""
    return tuple(sorted(_DIRECTORY.glob(f"*{SUFFIX}")))
