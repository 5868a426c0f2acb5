"""Files with pictures of boards: SVG without any other package, PNG and GIF with Pillow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from c4core.pictures import Picture

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

PLOT: Final = "--plot"
STILL: Final = (".svg", ".png")


def plot_option(help_text: str) -> Callable[[Decorated], Decorated]:
    """``--plot``, whose parameter is ``plots``."""
    return click.option(PLOT, "plots", metavar="FILE", multiple=True, help=help_text)


def check(
    names: Sequence[str], *, suffixes: Sequence[str] = STILL, option: str = PLOT
) -> list[Path]:
    """The files to draw into, once it is clear that this can be done.

    Args:
        names: of the files.
        suffixes: that they may have.
        option: where they were typed, for the message.

    Raises:
        click.BadParameter: one of them cannot be drawn into.
        click.ClickException: Pillow is not installed.
    """
    from c4core import extras
    from cli.output import outfile

    paths = []
    for name in names:
        suffix = Path(name).suffix
        if suffix not in suffixes:
            raise click.BadParameter(
                f"{name!r} ends with none of {', '.join(suffixes)}", param_hint=f"'{option}'"
            )
        if suffix != ".svg":
            extras.require(extras.PICTURES, click.ClickException)
        paths.append(outfile.writable_path(name, option=option))
    return paths


def write(name: str, content: bytes, *, option: str) -> None:
    """Write a file, whole or not at all.

    Args:
        name: as it was typed.
        content: of the file.
        option: where the name was typed, for the message.

    Raises:
        click.BadParameter: the file cannot be made.
        OSError: it cannot be written.
    """
    from c4core.files import atomic_file
    from cli.output import outfile

    with atomic_file(outfile.writable_path(name, option=option)) as beside:
        beside.write_bytes(content)


def draw(name: str, picture: Picture, *, option: str = PLOT) -> None:
    """Draw a picture into a file of :data:`STILL`.

    Raises:
        click.BadParameter, OSError: as :func:`write`.
    """
    if Path(name).suffix == ".svg":
        from c4core.pictures.svg import svg_text

        content = svg_text(picture).encode()
    else:
        from c4core.pictures.raster import png_bytes

        content = png_bytes(picture)
    write(name, content, option=option)
