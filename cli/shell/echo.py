"""Write lines for people, with invisible characters escaped.

Labels, names of files and players, game details and error texts may come from other people.
"""

from __future__ import annotations

import click

from workers.text import printable


def line(text: str = "", *, err: bool = False) -> None:
    """Write one line, even if the text has line breaks."""
    click.echo(printable(text), err=err)


def prompt(text: str) -> None:
    """Write a prompt to standard error, without a line break."""
    click.echo(printable(text), nl=False, err=True)
