"""Image files: checked before the work begins, and written completely or not at all.

Only PNG and GIF pictures need other packages (``extras.PICTURES``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from c4core import extras
from c4core.files import atomic_file
from cli.shell.parameters import option, writable_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from c4core.pictures import Picture

OPTION: Final = "--plot"
PICTURES: Final = (".svg", ".png")


def plot(text: str) -> Any:
    """The option ``--plot``, which can be given again."""
    return option(text, OPTION, metavar="FILE", multiple=True)


def check_pictures(
    names: Sequence[str], *, suffixes: Sequence[str] = PICTURES, option: str = OPTION
) -> None:
    """Check that pictures of boards can be drawn into some files."""
    for name in names:
        _check_suffix(name, suffixes, option)
        if Path(name).suffix != ".svg":
            extras.require(extras.PICTURES, click.ClickException)
        writable_path(name, option=option)


def write_picture(name: str, content: bytes, *, option: str) -> None:
    """Write a file completely or not at all."""
    with atomic_file(writable_path(name, option=option)) as beside:
        beside.write_bytes(content)


def draw_picture(name: str, picture: Picture) -> None:
    """Draw a picture into a file of ``--plot``."""
    if Path(name).suffix == ".svg":
        from c4core.pictures.svg import svg_text

        content = svg_text(picture).encode()
    else:
        from c4core.pictures.raster import png_bytes

        content = png_bytes(picture)
    write_picture(name, content, option=OPTION)


def _check_suffix(name: str, suffixes: Sequence[str], option: str) -> None:
    if Path(name).suffix not in suffixes:
        raise click.BadParameter(
            f"{name!r} does not end in any of {', '.join(suffixes)}", param_hint=f"'{option}'"
        )
