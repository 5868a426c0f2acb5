"""The group ``c4 certificate``."""

from __future__ import annotations

import click

from cli.shell.commands import LazyGroup


@click.group(
    cls=LazyGroup,
    lazy={
        "verify": "cli.commands.certificate.files:verify",
        "info": "cli.commands.certificate.files:info",
        "show": "cli.commands.certificate.files:show",
    },
    examples=[
        "c4 certificate verify small.c4proof",
        "c4 certificate show small.c4proof 12",
    ],
)
def certificate() -> None:
    """Check, describe and query certificates: proofs of scores.

    "c4 prove" makes them. Checking takes no search and no trust in this program:
    examples/check_certificate.py also does it, in 300 lines of Python that share no code with c4.
    See docs/certificate-format.md.
    """
