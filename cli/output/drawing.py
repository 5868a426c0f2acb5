"""Image files: checked before the work begins, and written completely or not at all.

Only PNG and GIF pictures of boards need other packages (``extras.PICTURES``). Charts are drawn by
matplotlib in one style: blue is good for the player, orange for its opponent. These colours suit
colour-blind readers.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from c4core import extras
from c4core.files import atomic_file
from c4core.pictures.svg import svg_text
from cli.output.formats import writable_path
from cli.shell.options import option

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from matplotlib.figure import Figure

    from c4core.pictures import Picture

OPTION: Final = "--plot"
PICTURES: Final = (".svg", ".png")
CHARTS: Final = (".svg", ".png", ".pdf")


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
        content = svg_text(picture).encode()
    else:
        from c4core.pictures.raster import png_bytes

        content = png_bytes(picture)
    write_picture(name, content, option=OPTION)


def check_charts(names: Sequence[str], *, option: str = OPTION) -> list[Path]:
    """Check that charts can be drawn into some files; return their paths."""
    paths = []
    for name in names:
        _check_suffix(name, CHARTS, option)
        paths.append(writable_path(name, option=option))
    if names:
        extras.require(extras.PLOT, click.ClickException)
    return paths


def draw_charts(
    names: Sequence[str], draw: Callable[[Sequence[Path]], object], *, option: str = OPTION
) -> None:
    """Draw charts. Either all files appear, each of them complete, or none."""
    with ExitStack() as stack:
        paths = check_charts(names, option=option)
        draw([stack.enter_context(atomic_file(path)) for path in paths])


def _check_suffix(name: str, suffixes: Sequence[str], option: str) -> None:
    if Path(name).suffix not in suffixes:
        raise click.BadParameter(
            f"{name!r} does not end in any of {', '.join(suffixes)}", param_hint=f"'{option}'"
        )


GOOD: Final = ("#8cc3ea", "#2171b5", "#08306b")
"""Shades of blue, the darkest last."""
BAD: Final = ("#f9a463", "#d2560b", "#7a2403")
"""Shades of orange, the darkest last."""
INK: Final = "#222222"
FAINT: Final = "#666666"

_STYLE: Final[Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "svg.hashsalt": "c4",  # the same picture gives the same file
}


@contextmanager
def figure(
    width: float,
    height: float,
    paths: Sequence[Path],
    *,
    dots_per_inch: int = 150,
    style: Any = None,
) -> Iterator[Figure]:
    """A figure to draw into, in inches; it is written when the context ends."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({**_STYLE, **(style or {})}):
        drawn = Figure(figsize=(width, height), layout="constrained", facecolor="white")
        yield drawn
        for path in paths:
            metadata = {"Date": None} if path.suffix == ".svg" else None
            drawn.savefig(path, dpi=dots_per_inch, metadata=metadata)
