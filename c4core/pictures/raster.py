"""Pictures as PNG and GIF, drawn by resvg from their SVG. Needs the extra ``pictures``.

The font is a package: with the fonts of the system, texts would be missing where there are none.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import font_source_sans_pro as fonts
from PIL import Image
from resvg_py import svg_to_bytes

from c4core.pictures.svg import CARD, svg_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.pictures.svg import Picture

SCALE: Final = 2.0
"""The default number of pixels for each point of a picture."""

COLOURS: Final = 255
"""The number of colours of a GIF. With fewer, the small signs on the stones lose their colour."""


def png_bytes(picture: Picture, *, scale: float = SCALE) -> bytes:
    """Return a picture as the bytes of a PNG file, with ``scale`` pixels for each point."""
    return svg_to_bytes(
        svg_string=svg_text(picture),
        zoom=scale,
        background=CARD,
        skip_system_fonts=True,
        font_files=[fonts.SourceSansPro, fonts.SourceSansProBold],
        sans_serif_family="Source Sans Pro",
    )


def gif_bytes(
    pictures: Sequence[Picture], seconds: Sequence[float], *, scale: float = SCALE
) -> bytes:
    """Return pictures of the same size, at least one, as the bytes of a GIF file that repeats.

    Each picture is shown for its ``seconds``, with ``scale`` pixels for each point.
    """
    drawn = (Image.open(io.BytesIO(png_bytes(picture, scale=scale))) for picture in pictures)
    frames = [frame.convert("RGB") for frame in drawn]
    palette = frames[-1].quantize(COLOURS)  # the last picture has all colours
    first, *others = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    stream = io.BytesIO()
    times = [round(1000 * duration) for duration in seconds]
    first.save(stream, "GIF", save_all=True, append_images=others, duration=times, loop=0)
    return stream.getvalue()
