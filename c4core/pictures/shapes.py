"""Pictures consist of a few plain shapes in a plane, in a few colours.

Coordinates are in points of the picture, from its upper left corner; y grows downwards. A colour is
``#rrggbb``. The colours are those of the analysis board in the browser, in its light theme.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

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
"""The colours of the marks of moves."""

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc, a ring, or both."""

    x: float
    """The centre."""
    y: float
    """The centre."""
    radius: float
    """To the middle of the ring."""
    fill: str | None = None
    """The colour of the disc; None for no disc."""
    stroke: str | None = None
    """The colour of the ring; None for no ring."""
    width: float = 0
    """The width of the ring."""
    dashes: int = 0
    """The number of dashes of the ring; 0 for a solid ring."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, with round corners or without."""

    x: float
    """The left side."""
    y: float
    """The upper side."""
    width: float
    height: float
    fill: str
    radius: float = 0
    """The radius of the corners."""


@dataclass(frozen=True, slots=True)
class Line:
    """Straight lines from point to point."""

    points: tuple[Point, ...]
    """At least two."""
    stroke: str
    width: float


@dataclass(frozen=True, slots=True)
class Area:
    """The inside of a polygon."""

    points: tuple[Point, ...]
    """The corners."""
    fill: str


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text."""

    x: float
    """The anchor."""
    y: float
    """The baseline."""
    text: str
    """The text, which may be untrusted."""
    size: float
    """The size of the letters."""
    fill: str
    anchor: Anchor = "middle"
    """The part of the text that is at x."""
    is_bold: bool = False
    """Whether the letters are bold."""


@dataclass(frozen=True, slots=True)
class Plate:
    """A board's face: a box with round corners and with holes."""

    x: float
    """The left side."""
    y: float
    """The upper side."""
    width: float
    height: float
    radius: float
    """The radius of the corners."""
    holes: tuple[Point, ...]
    """The centres of the holes."""
    hole: float
    """The radius of a hole."""
    fill: str
    stroke: str
    """The colour of the edge, also around the holes."""
    edge: float
    """The width of the edge."""


Shape = Circle | Box | Line | Area | Text | Plate


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes in a plane, the first ones below the others."""

    width: float
    """The width in points."""
    height: float
    """The height in points."""
    shapes: tuple[Shape, ...]
    label: str
    """The picture in words, for people who cannot see it."""

    def moved(self, right: float, down: float) -> tuple[Shape, ...]:
        """The shapes at another place, for use in a larger picture."""
        return tuple(_moved(shape, right, down) for shape in self.shapes)


def score_colour(score: int | None) -> str:
    """The colour of a score of the side to move: wins green, losses purple."""
    if not score:
        return SOFT
    return WIN if score > 0 else LOSS


def _moved(shape: Shape, right: float, down: float) -> Shape:
    match shape:
        case Line(points, stroke, width):
            return Line(_points(points, right, down), stroke, width)
        case Area(points, fill):
            return Area(_points(points, right, down), fill)
        case Plate():
            holes = _points(shape.holes, right, down)
            return replace(shape, x=shape.x + right, y=shape.y + down, holes=holes)
        case _:
            return replace(shape, x=shape.x + right, y=shape.y + down)


def _points(points: tuple[Point, ...], right: float, down: float) -> tuple[Point, ...]:
    return tuple((x + right, y + down) for x, y in points)
