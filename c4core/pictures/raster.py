"""Pictures as PNG and GIF. Needs Pillow.

Everything is drawn larger and then scaled down, so that edges are smooth. Pillow includes a font;
an SVG renderer would need the system's fonts, and omit texts if there are none.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

from PIL import Image, ImageDraw, ImageFont

from c4core.evaluation import printable
from c4core.pictures.svg import CARD, DASH, Area, Box, Circle, Line, Plate, Text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.pictures.svg import Picture, Point, Shape

SMOOTH: Final = 3
"""Each pixel of the result is drawn as a square with sides of this many pixels."""

SCALE: Final = 2.0
"""The default number of pixels for each point of a picture."""

COLOURS: Final = 255
"""The number of colours of a GIF. With fewer, the small signs on the stones lose their colour."""


def png_bytes(picture: Picture, *, scale: float = SCALE) -> bytes:
    """Return a picture as the bytes of a PNG file, with ``scale`` pixels for each point."""
    stream = io.BytesIO()
    drawn(picture, scale=scale).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def gif_bytes(
    pictures: Sequence[Picture], seconds: Sequence[float], *, scale: float = SCALE
) -> bytes:
    """Return pictures of the same size, at least one, as the bytes of a GIF file that repeats.

    Each picture is shown for its ``seconds``, with ``scale`` pixels for each point.
    """
    frames = [drawn(picture, scale=scale) for picture in pictures]
    palette = frames[-1].quantize(COLOURS)  # the last picture has all colours
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    stream = io.BytesIO()
    times = [round(1000 * duration) for duration in seconds]
    first.save(stream, "GIF", save_all=True, append_images=others, duration=times, loop=0)
    return stream.getvalue()


def drawn(picture: Picture, *, scale: float = SCALE) -> Image.Image:
    """Draw a picture with ``scale`` pixels for each point."""
    size = round(picture.width * scale), round(picture.height * scale)
    canvas = _Canvas(SMOOTH * size[0], SMOOTH * size[1], SMOOTH * scale)
    for shape in picture.shapes:
        canvas.draw(shape)
    return canvas.image.resize(size, Image.Resampling.LANCZOS)


class _Canvas:
    """Draws shapes with ``unit`` pixels for each point."""

    def __init__(self, width: int, height: int, unit: float) -> None:
        self.image = Image.new("RGB", (width, height), CARD)
        self._pen = ImageDraw.Draw(self.image)
        self._unit = unit

    def draw(self, shape: Shape) -> None:
        match shape:
            case Circle():
                self._circle(shape)
            case Box():
                corners = self._corners(shape.x, shape.y, shape.width, shape.height)
                self._pen.rounded_rectangle(corners, self._unit * shape.radius, fill=shape.fill)
            case Line():
                width = max(1, round(self._unit * shape.width))
                self._pen.line(self._scaled(shape.points), shape.stroke, width, joint="curve")
            case Area():
                self._pen.polygon(self._scaled(shape.points), fill=shape.fill)
            case Plate():
                self._plate(shape)
            case Text():
                self._text(shape)

    def _circle(self, shape: Circle) -> None:
        if shape.fill is not None:
            self._pen.ellipse(self._around(shape, shape.radius), fill=shape.fill)
        if shape.stroke is None:
            return
        corners = self._around(shape, shape.radius + shape.width / 2)
        width = max(1, round(self._unit * shape.width))
        if not shape.dashes:
            self._pen.ellipse(corners, outline=shape.stroke, width=width)
        part = 360 / max(1, shape.dashes)
        for dash in range(shape.dashes):
            begin = dash * part
            self._pen.arc(corners, begin, begin + DASH * part, fill=shape.stroke, width=width)

    def _plate(self, shape: Plate) -> None:
        """Draw a plate through a mask, so that everything behind its holes stays visible."""
        mask = Image.new("L", self.image.size, 0)
        pen = ImageDraw.Draw(mask)
        outside = self._corners(shape.x, shape.y, shape.width, shape.height)
        pen.rounded_rectangle(outside, self._unit * shape.radius, fill=255)
        edge = max(1, round(self._unit * shape.edge))
        face = Image.new("RGB", self.image.size, shape.fill)
        face_pen = ImageDraw.Draw(face)
        face_pen.rounded_rectangle(
            outside, self._unit * shape.radius, outline=shape.stroke, width=edge
        )
        for x, y in shape.holes:
            hole = Circle(x, y, shape.hole)
            rim = self._around(hole, shape.hole + shape.edge / 2)
            face_pen.ellipse(rim, fill=shape.stroke)
            pen.ellipse(self._around(hole, shape.hole - shape.edge / 2), fill=0)
        self.image.paste(face, mask=mask)

    def _text(self, shape: Text) -> None:
        font = ImageFont.load_default(self._unit * shape.size)
        anchor = {"start": "ls", "middle": "ms", "end": "rs"}[shape.anchor]
        weight = round(self._unit * shape.size / 26) if shape.is_bold else 0
        place = self._unit * shape.x, self._unit * shape.y
        text = printable(shape.text)
        self._pen.text(place, text, shape.fill, font, anchor, stroke_width=weight)

    def _around(self, circle: Circle, radius: float) -> tuple[float, float, float, float]:
        return self._corners(circle.x - radius, circle.y - radius, 2 * radius, 2 * radius)

    def _corners(
        self, x: float, y: float, width: float, height: float
    ) -> tuple[float, float, float, float]:
        unit = self._unit
        return unit * x, unit * y, unit * (x + width), unit * (y + height)

    def _scaled(self, points: Sequence[Point]) -> list[Point]:
        return [(self._unit * x, self._unit * y) for x, y in points]
