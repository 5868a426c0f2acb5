"""The revisions of the schema, a file each in ``versions``. Loads nothing: start-up needs it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

REVISIONS: Final = tuple(
    sorted(file.name[: len("c4_0001")] for file in Path(__file__).parent.glob("versions/c4_*.py"))
)
"""All revisions, the oldest first."""

FIRST_WATCHED: Final = "c4_0007"
"""From this revision on, every transaction checks that the schema is still the one that its process
knows. Processes of older ones would go on over an upgrade."""

HEAD: Final = REVISIONS[-1]
"""The revision that this version works with."""
