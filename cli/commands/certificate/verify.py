"""``c4 certificate verify``: is a certificate a proof?"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from cli.commands.certificate import options
from cli.shell import echo
from cli.shell.commands import Command

if TYPE_CHECKING:
    from cli.shell.settings import Settings

EXAMPLES = (
    "c4 certificate verify small.c4proof",
    "c4 certificate verify small.c4proof --json",
    "c4 certificate verify 5x4",
)


@click.command(cls=Command, database=False, examples=EXAMPLES)
@options.file_argument
@click.pass_obj
def verify(settings: Settings, *, file: str) -> None:
    """Check that a certificate proves what it claims.

    No position is searched: every move, every reply and every rule is looked at. A file that is no
    proof is an error, which names the position where it fails; the exit code is 1. CERTIFICATE is a
    file, or a board whose certificate comes with the program: 7x6.
    """
    began = time.monotonic()
    certificate = options.opened(file)
    options.checked(settings, certificate)
    seconds = time.monotonic() - began
    said = certificate.info
    if settings.json:
        from cli.commands.certificate.info import as_object
        from cli.output.formats import write_object

        write_object(
            {"file": file, "proven": True, **as_object(said), "seconds": round(seconds, 3)}
        )
        return
    from cli.output.render import count, duration

    echo.line(
        f"{file} is a proof: {options.place(said)} {options.claim(said)} "
        f"({count(said.positions, 'position')} checked in {duration(seconds)})"
    )
