"""The one way to write lines for people: characters that cannot be seen are escaped.

Labels, names of files and players, details of games and texts of errors may come from strangers.
"""

from __future__ import annotations

import click

from workers.text import printable


def line(text: str = "", *, err: bool = False) -> None:
    """Write one line, even if the text has line breaks."""
    click.echo(printable(text), err=err)


def prompt(text: str) -> None:
    """Ask for something on standard error; the answer is typed in the same line."""
    click.echo(printable(text), nl=False, err=True)
