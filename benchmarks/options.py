"""Options that the commands of several subjects share."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

WITH_HELP: Final = {"help_option_names": ["-h", "--help"]}
"""The settings of a command's context."""

threads_option = click.option("--threads", type=click.IntRange(1), default=1, show_default=True)
seed_option = click.option("--seed", type=click.IntRange(0), default=1, show_default=True)


@contextmanager
def failures(*errors: type[Exception]) -> Iterator[None]:
    """Report errors that the user can fix in one line, without a traceback."""
    try:
        yield
    except errors as error:
        raise click.ClickException(str(error)) from error
