"""``c4 certificate write``: the file of a job that is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli.commands.certificate.outlet import Outlet
from cli.positions import books as options
from cli.shell import parameters
from cli.shell.commands import Command

if TYPE_CHECKING:
    from cli.shell.settings import Settings


@click.command(cls=Command, examples=["c4 certificate write 3 --out empty.c4proof"])
@click.argument("job", type=parameters.IntRange(1), metavar="JOB")
@options.out_option("The file.", required=True)
@options.force_option
@click.pass_obj
def write(settings: Settings, *, job: int, out: str, force: bool) -> None:
    """Write the certificate of a job of "c4 prove" that is done.

    The bytes are those that "c4 prove" writes, whoever has worked on the job.
    """
    from workers.certificates.assembling import read_certificate

    outlet = Outlet(out, force=force)
    outlet.check()
    with settings.open_database() as database:
        content = read_certificate(database, job)
    outlet.write(settings, content, job, None)
