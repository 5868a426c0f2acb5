"""Files that commands draw into: checked before the work begins, written whole or not at all."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

SUFFIXES = (".svg", ".png", ".pdf")
OPTION = "--plot"


def plot_option(help_text: str) -> Callable[[Decorated], Decorated]:
    """``--plot``, whose parameter is ``plots``."""
    return click.option(OPTION, "plots", metavar="FILE", multiple=True, help=help_text)


def check(names: Sequence[str], *, option: str = OPTION) -> list[Path]:
    """The files to draw into, once it is clear that this can be done.

    Args:
        names: of the files.
        option: where they were typed, for the message.

    Raises:
        click.BadParameter: one of them cannot be drawn into.
        click.ClickException: matplotlib is not installed.
    """
    from c4core import extras
    from cli.output import outfile

    paths = []
    for name in names:
        if Path(name).suffix not in SUFFIXES:
            raise click.BadParameter(
                f"{name!r} ends with none of {', '.join(SUFFIXES)}", param_hint=f"'{option}'"
            )
        paths.append(outfile.writable_path(name, option=option))
    if names:
        extras.require(extras.PLOT, click.ClickException)
    return paths


def draw_into(
    names: Sequence[str], draw: Callable[[Sequence[Path]], object], *, option: str = OPTION
) -> None:
    """Draw into files: all of them are there afterwards, each of them whole.

    Args:
        names: of the files.
        draw: draws into files of the same endings beside them.
        option: where the names were typed, for the message.

    Raises:
        click.BadParameter: one of the files cannot be drawn into.
        click.ClickException: matplotlib is not installed.
        OSError: a file cannot be written.
    """
    from c4core.files import atomic_file

    with ExitStack() as stack:
        draw([stack.enter_context(atomic_file(path)) for path in check(names, option=option)])
