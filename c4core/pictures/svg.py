"""The elements and colours of pictures, as SVG.

Coordinates are in points of the picture, from its upper left corner; y grows downwards. A colour is
``#rrggbb``. The colours are the same as in the light theme of the analysis board in the browser.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final, Literal

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
class Picture:
    """SVG elements in a plane; later ones are drawn over earlier ones."""

    width: float
    height: float
    elements: tuple[str, ...]
    label: str
    """The picture in words, for people who cannot see it."""

    def moved(self, right: float, down: float) -> str:
        """Return the elements at another place, for use in a larger picture."""
        return (
            f'<g transform="translate({_number(right)} {_number(down)})">'
            f"{''.join(self.elements)}</g>"
        )


def score_colour(score: int | None) -> str:
    """Return the colour of a score for the side to move: wins green, losses purple."""
    if not score:
        return SOFT
    return WIN if score > 0 else LOSS


FONT: Final = "Inter, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif"
DASH: Final = 0.55
"""The part of a dashed ring that is drawn."""


def printable(text: str) -> str:
    """Replace unprintable characters, which XML does not allow, with U+FFFD."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def svg_text(picture: Picture) -> str:
    """Return a picture as SVG without a prologue, for a file or an HTML page."""
    width, height = _number(picture.width), _number(picture.height)
    label = escape(printable(picture.label))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{label}">'
        f'<rect width="100%" height="100%" rx="8" fill="{CARD}"/>'
        f"{''.join(picture.elements)}</svg>"
    )


def circle(
    x: float,
    y: float,
    radius: float,
    *,
    fill: str = "none",
    stroke: str | None = None,
    width: float = 0,
    dashes: int = 0,
) -> str:
    """A disc, a ring, or both. The ring is solid or has this many dashes."""
    ring = "" if stroke is None else f' stroke="{stroke}" stroke-width="{_number(width)}"'
    if dashes:
        part = 6.2831853 * radius / dashes
        ring += f' stroke-dasharray="{_number(part * DASH)} {_number(part * (1 - DASH))}"'
    return (
        f'<circle cx="{_number(x)}" cy="{_number(y)}" r="{_number(radius)}" fill="{fill}"{ring}/>'
    )


def box(x: float, y: float, width: float, height: float, *, fill: str, radius: float) -> str:
    """A rectangle, given by its upper left corner and its size, with round corners."""
    return (
        f'<rect x="{_number(x)}" y="{_number(y)}" width="{_number(width)}" '
        f'height="{_number(height)}" rx="{_number(radius)}" fill="{fill}"/>'
    )


def line(points: Iterable[Point], stroke: str, width: float) -> str:
    """Straight lines from point to point."""
    return (
        f'<polyline points="{_coordinates(points)}" fill="none" stroke="{stroke}" '
        f'stroke-width="{_number(width)}" stroke-linejoin="round"/>'
    )


def area(points: Iterable[Point], fill: str) -> str:
    """The inside of a polygon."""
    return f'<polygon points="{_coordinates(points)}" fill="{fill}"/>'


def text(
    x: float,
    y: float,
    words: str,
    size: float,
    fill: str,
    *,
    anchor: Anchor = "middle",
    is_bold: bool = False,
) -> str:
    """A line of text, which may be untrusted. The ``anchor`` is the part of it that is at ``x``."""
    weight = ' font-weight="700"' if is_bold else ""
    return (
        f'<text x="{_number(x)}" y="{_number(y)}" '
        f'font-family="{FONT}" font-size="{_number(size)}"{weight} '
        f'fill="{fill}" text-anchor="{anchor}">{escape(printable(words), quote=False)}</text>'
    )


def plate(
    x: float,
    y: float,
    width: float,
    height: float,
    *,
    radius: float,
    holes: Iterable[Point],
    hole: float,
    edge: float,
) -> str:
    """A board's face: a box with round corners and holes, given by its upper left corner."""
    r, w, h = _number(radius), _number(width - 2 * radius), _number(height - 2 * radius)
    path = (
        f"M{_number(x + radius)} {_number(y)}h{w}a{r} {r} 0 0 1 {r} {r}v{h}a{r} {r} 0 0 1 -{r} {r}"
        f"h-{w}a{r} {r} 0 0 1 -{r} -{r}v-{h}a{r} {r} 0 0 1 {r} -{r}z"
    )
    r, across = _number(hole), _number(2 * hole)
    for left, top in holes:
        path += (
            f"M{_number(left - hole)} {_number(top)}"
            f"a{r} {r} 0 1 0 {across} 0a{r} {r} 0 1 0 -{across} 0z"
        )
    return (
        f'<path d="{path}" fill-rule="evenodd" fill="{PLATE}" '
        f'stroke="{PLATE_EDGE}" stroke-width="{_number(edge)}"/>'
    )


def _coordinates(points: Iterable[Point]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _number(value: float) -> str:
    return f"{round(value, 2):g}"
