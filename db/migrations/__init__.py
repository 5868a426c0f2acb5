"""The schema's revisions, one file each in ``versions``. This module does not import them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

REVISIONS: Final = tuple(
    sorted(file.name[: len("c4_0001")] for file in Path(__file__).parent.glob("versions/c4_*.py"))
)
"""All revisions, the oldest first."""

HEAD: Final = REVISIONS[-1]
"""The revision of this program."""
