"""The shapes and colours of pictures, and their SVG.

Coordinates are in points of the picture, from its upper left corner; y grows downwards. A colour is
``#rrggbb``. The colours are the same as in the light theme of the analysis board in the browser.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from typing import TYPE_CHECKING, Final, Literal

from c4core.html import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

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

Point = tuple[float, float]
Anchor = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc, a ring, or both, around a centre."""

    x: float
    y: float
    radius: float
    fill: str | None = None
    stroke: str | None = None
    width: float = 0
    dashes: int = 0
    """The number of dashes of the ring; 0 for a solid ring."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, given by its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0
    """The radius of the corners; 0 for sharp corners."""


@dataclass(frozen=True, slots=True)
class Line:
    """Straight lines from point to point."""

    points: tuple[Point, ...]
    stroke: str
    width: float


@dataclass(frozen=True, slots=True)
class Area:
    """The inside of a polygon."""

    points: tuple[Point, ...]
    fill: str


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text."""

    x: float
    y: float
    text: str
    """The text, which may be untrusted."""
    size: float
    fill: str
    anchor: Anchor = "middle"
    """The part of the text that is at ``x``."""
    is_bold: bool = False


@dataclass(frozen=True, slots=True)
class Plate:
    """A board's face: a box with round corners and holes, given by its upper left corner."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    holes: tuple[Point, ...]
    hole: float
    fill: str
    stroke: str
    """The colour of the edge, also around the holes."""
    edge: float


Shape = Circle | Box | Line | Area | Text | Plate


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes in a plane; later shapes are drawn over earlier ones."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    label: str
    """The picture in words, for people who cannot see it."""

    def moved(self, right: float, down: float) -> tuple[Shape, ...]:
        """Return the shapes at another place, for use in a larger picture."""
        return tuple(_moved(shape, right, down) for shape in self.shapes)


def score_colour(score: int | None) -> str:
    """Return the colour of a score for the side to move: wins green, losses purple."""
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


FONT: Final = "Inter, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif"
DASH: Final = 0.55
"""The part of a dashed ring that is drawn."""


def svg_text(picture: Picture, *, above: Iterable[str] = ()) -> str:
    """Return a picture as SVG without a prologue, for a file or an HTML page.

    The elements ``above`` are drawn over the picture.
    """
    width, height = _number(picture.width), _number(picture.height)
    elements = "".join(map(element, picture.shapes))
    label = escape(printable(picture.label))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
        f'<rect width="100%" height="100%" rx="8" fill="{CARD}"/>'
        f"{elements}{''.join(above)}</svg>"
    )


def element(shape: Shape) -> str:
    """Return a shape as an SVG element."""
    match shape:
        case Circle():
            return _circle(shape)
        case Box():
            corner = f' rx="{_number(shape.radius)}"' if shape.radius else ""
            return (
                f'<rect x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'width="{_number(shape.width)}" height="{_number(shape.height)}"{corner} '
                f'fill="{shape.fill}"/>'
            )
        case Line():
            return (
                f'<polyline points="{_coordinates(shape)}" fill="none" stroke="{shape.stroke}" '
                f'stroke-width="{_number(shape.width)}" stroke-linejoin="round"/>'
            )
        case Area():
            return f'<polygon points="{_coordinates(shape)}" fill="{shape.fill}"/>'
        case Plate():
            return (
                f'<path d="{_outline(shape)}" fill-rule="evenodd" fill="{shape.fill}" '
                f'stroke="{shape.stroke}" stroke-width="{_number(shape.edge)}"/>'
            )
        case Text():
            weight = ' font-weight="700"' if shape.is_bold else ""
            return (
                f'<text x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'font-family="{FONT}" font-size="{_number(shape.size)}"{weight} '
                f'fill="{shape.fill}" text-anchor="{shape.anchor}">'
                f"{escape(printable(shape.text), quote=False)}</text>"
            )


def _circle(shape: Circle) -> str:
    ring = ""
    if shape.stroke is not None:
        ring = f' stroke="{shape.stroke}" stroke-width="{_number(shape.width)}"'
    if shape.dashes:
        part = 6.2831853 * shape.radius / shape.dashes
        ring += f' stroke-dasharray="{_number(part * DASH)} {_number(part * (1 - DASH))}"'
    return (
        f'<circle cx="{_number(shape.x)}" cy="{_number(shape.y)}" r="{_number(shape.radius)}" '
        f'fill="{shape.fill or "none"}"{ring}/>'
    )


def _outline(plate: Plate) -> str:
    """Return the path around a plate and around each of its holes."""
    r, x, y = _number(plate.radius), _number(plate.x + plate.radius), _number(plate.y)
    w, h = _number(plate.width - 2 * plate.radius), _number(plate.height - 2 * plate.radius)
    path = (
        f"M{x} {y}h{w}a{r} {r} 0 0 1 {r} {r}v{h}a{r} {r} 0 0 1 -{r} {r}"
        f"h-{w}a{r} {r} 0 0 1 -{r} -{r}v-{h}a{r} {r} 0 0 1 {r} -{r}z"
    )
    r, across = _number(plate.hole), _number(2 * plate.hole)
    for left, top in plate.holes:
        path += (
            f"M{_number(left - plate.hole)} {_number(top)}"
            f"a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0z"
        )
    return path


def _coordinates(shape: Line | Area) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)


def _number(value: float) -> str:
    return f"{round(value, 2):g}"
