"""The revisions of the schema. They stand apart because this module loads nothing."""

from __future__ import annotations

from typing import Final

REVISIONS: Final = ("c4_0001", "c4_0002", "c4_0003", "c4_0004", "c4_0005", "c4_0006", "c4_0007")
"""All revisions, the oldest first."""

FIRST_WATCHED: Final = "c4_0007"
"""From this revision on, every transaction checks that the schema is still the one that its process
knows. Processes of older ones would go on over an upgrade."""

HEAD: Final = REVISIONS[-1]
"""The revision that this version works with."""
