"""Options that the commands of several benchmarks have in common."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Decorated = TypeVar("Decorated", bound="Callable[..., Any]")

WITH_HELP: Final = {"help_option_names": ["-h", "--help"]}
"""The settings of a command's context."""

threads_option = click.option("--threads", type=click.IntRange(1), default=1, show_default=True)


def file_argument(default: Path) -> Callable[[Decorated], Decorated]:
    """The file of figures that a command reads."""
    return click.argument(
        "file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        default=default,
    )


def output_option(
    default: Path, *names: str, help_text: str | None = None
) -> Callable[[Decorated], Decorated]:
    """The file of figures that a command writes.

    Args:
        default: the default path.
        names: the names of the parameter, if it is not ``output``.
        help_text: the text for ``--help``.
    """
    return click.option(
        "--output",
        *names,
        type=click.Path(dir_okay=False, path_type=Path),
        default=default,
        show_default=True,
        help=help_text,
    )


def page_option(
    default: Path, help_text: str = "Replace the tables between the page's markers."
) -> Callable[[Decorated], Decorated]:
    """The page that a command fills."""
    return click.option(
        "--page",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        default=default,
        show_default=True,
        help=help_text,
    )


@contextmanager
def failures(*errors: type[Exception]) -> Iterator[None]:
    """End with a one-line message in place of a traceback.

    Args:
        errors: the errors that the user can do something about.
    """
    try:
        yield
    except errors as error:
        raise click.ClickException(str(error)) from error
