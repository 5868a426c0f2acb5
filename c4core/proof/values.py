"""What a certificate stores of a position."""

from __future__ import annotations

from typing import Final

REPLIES: Final = 255
"""No rule ends the branch: all replies follow."""

RULES: Final = (
    "stones",
    "follow-up",
    "turned column",
    "horizon",
    "one odd column",
    "no flat four",
)
"""The rules' names, by their numbers."""

EVERY_RULE: Final = (1 << len(RULES)) - 1
"""All rules, as a set of bits."""
