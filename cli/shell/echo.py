"""Lines for people on the standard streams, the one way to them: all that is not seen is escaped.

Labels, names of files and players, details of games and texts of errors come from strangers.
"""

from __future__ import annotations

import click

from workers.printable import printable


def line(text: str = "", *, err: bool = False) -> None:
    """Write one line, whatever is in the text.

    Args:
        text: without the line's end.
        err: to standard error.
    """
    click.echo(printable(text), err=err)


def prompt(text: str) -> None:
    """Ask for something on standard error; the answer is typed in the same line."""
    click.echo(printable(text), nl=False, err=True)
