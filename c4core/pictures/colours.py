"""The colours of all pictures: those of the analysis board in the browser, in its light theme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from c4core.arena.judging import Mark
    from c4core.position import Side

CARD: Final = "#fffefb"
INK: Final = "#1c212b"
SOFT: Final = "#565d6b"
RULE: Final = "#ddd7ca"
WIN: Final = "#0b6b5d"
LOSS: Final = "#96305f"
BAD: Final = "#a6261d"
PLATE: Final = "#2f539c"
PLATE_EDGE: Final = "#274785"
HOLE: Final = "#e9e5da"
WHITE: Final = "#ffffff"

STONE: Final[dict[Side, str]] = {"x": "#d6423a", "o": "#f4bb34"}
RIM: Final[dict[Side, str]] = {"x": "#a92d27", "o": "#c48d10"}
SIGN: Final[dict[Side, str]] = {"x": "#ffd9d4", "o": "#7a5200"}

MARK: Final[dict[Mark, str]] = {"??": BAD, "?": "#b36a00", "!": WIN}
"""Of the marks of moves."""


def score_colour(score: int | None) -> str:
    """The colour of a score of the side to move: wins green, losses purple."""
    if not score:
        return SOFT
    return WIN if score > 0 else LOSS
