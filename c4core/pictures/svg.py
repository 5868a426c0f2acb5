"""Pictures as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from c4core.markup import printable
from c4core.pictures.shapes import CARD, Area, Box, Circle, Line, Picture, Plate, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from c4core.pictures.shapes import Shape

FONT: Final = "Inter, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif"
DASH: Final = 0.55
"""The part of a dashed ring that is drawn."""


def svg_text(picture: Picture, *, above: Iterable[str] = ()) -> str:
    """A picture as SVG without a prologue, for a file or a page of HTML.

    The elements ``above`` are drawn over it.
    """
    width, height = _number(picture.width), _number(picture.height)
    elements = "".join(map(element, picture.shapes))
    label = quoteattr(printable(picture.label))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={label}>'
        f'<rect width="100%" height="100%" rx="8" fill="{CARD}"/>'
        f"{elements}{''.join(above)}</svg>"
    )


def element(shape: Shape) -> str:
    """A shape as an element of SVG."""
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
                f'<polyline points="{_points(shape)}" fill="none" stroke="{shape.stroke}" '
                f'stroke-width="{_number(shape.width)}" stroke-linejoin="round"/>'
            )
        case Area():
            return f'<polygon points="{_points(shape)}" fill="{shape.fill}"/>'
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
                f"{escape(printable(shape.text))}</text>"
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
    """The path around a plate and around each of its holes."""
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


def _points(shape: Line | Area) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)


def _number(value: float) -> str:
    return f"{round(value, 2):g}"
