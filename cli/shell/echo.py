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
    """Ask for something on standard error; the answer is typed on the same line."""
    click.echo(printable(text), nl=False, err=True)
