"""What the commands about certificates share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.output import progress
from cli.shell.background import run_in_background

if TYPE_CHECKING:
    from collections.abc import Callable

    from c4core.proof import Certificate, Proof
    from c4core.proof.format import CertificateInfo
    from cli.shell.settings import Settings

T = TypeVar("T")


class _File(click.Path):
    """A file that exists, or a board whose certificate is shipped."""

    name = "certificate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Check a name."""
        from c4core.proof.certificate import named_file
        from c4core.proof.errors import CertificateMissingError

        try:
            super().convert(named_file(value), param, ctx)
        except CertificateMissingError as error:
            self.fail(str(error), param, ctx)
        return value


file_argument = click.argument(
    "file", type=_File(exists=True, dir_okay=False), metavar="CERTIFICATE"
)


def opened(file: str) -> Certificate:
    """The certificate of a name.

    Raises:
        CertificateError: its bytes are damaged.
        OSError: it cannot be read.
    """
    from c4core.proof import Certificate
    from c4core.proof.certificate import named_file

    return Certificate.open(named_file(file))


def checked(settings: Settings, certificate: Certificate) -> Proof:
    """The proof of a certificate, once it is checked.

    Raises:
        CertificateError: it is no proof.
    """
    return watched(settings, certificate.check)


def watched(settings: Settings, work: Callable[[Callable[[int], object]], T]) -> T:
    """Do what tells how many positions it has looked at, in the background; Ctrl-C ends it."""
    stopped: list[bool] = []
    shown = progress.is_shown(settings, over_output=False)
    with progress.planning(shown=shown, of="positions") as tell:

        def look(positions: int) -> None:
            if stopped:
                raise KeyboardInterrupt
            tell(positions)

        return run_in_background(lambda: work(look), lambda: stopped.append(True))


def claim(info: CertificateInfo) -> str:
    """What a certificate claims, as the end of a sentence: ``scores exactly 1``."""
    if info.lower is not None and info.lower == info.upper:
        return f"scores exactly {info.lower}"
    words = []
    if info.lower is not None:
        words.append(f"at least {info.lower}")
    if info.upper is not None:
        words.append(f"at most {info.upper}")
    return f"scores {' and '.join(words)}"


def place(info: CertificateInfo) -> str:
    """The position of the claim, as the subject of a sentence."""
    if not info.start.ply:
        return f"the empty {info.board} board"
    return f"the {info.board} position with key {info.start.key}"
