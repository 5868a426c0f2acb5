"""The schema's revisions, one file each in ``versions``. This module does not import them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

REVISIONS: Final = tuple(
    sorted(file.name[: len("c4_0001")] for file in Path(__file__).parent.glob("versions/c4_*.py"))
)
"""All revisions, the oldest first."""

FIRST_WATCHED: Final = "c4_0007"
"""The first revision whose processes notice an upgrade. Older ones would damage the database."""

HEAD: Final = REVISIONS[-1]
"""The revision of this program."""
