"""Files that commands draw into: looked at before the work begins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

SUFFIXES = (".svg", ".png", ".pdf")


def plot_option(what: str) -> Any:
    """``--plot``, whose parameter is ``plots``.

    Args:
        what: is drawn, for the help text.
    """
    return click.option(
        "--plot",
        "plots",
        metavar="FILE",
        multiple=True,
        help=f"Draw {what} into an .svg, .png or .pdf; can be given again.",
    )


def check(names: Sequence[str]) -> list[Path]:
    """The files of ``--plot``, once it is clear that they can be drawn into.

    Raises:
        click.BadParameter: one cannot be.
        click.ClickException: matplotlib is not installed.
    """
    from c4core import extras
    from cli.output import targets

    paths = []
    for name in names:
        if Path(name).suffix not in SUFFIXES:
            raise click.BadParameter(
                f"{name!r} ends with none of {', '.join(SUFFIXES)}", param_hint="'--plot'"
            )
        paths.append(targets.checked(name, option="--plot"))
    if names:
        extras.require(extras.PLOT, click.ClickException)
    return paths
