"""Output that goes to standard output, or into a file that is there whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD_OUTPUT = "-"

output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Write the results to this file, whole or not at all; - is standard output.",
)


@contextmanager
def opened(name: str | None) -> Iterator[IO[str] | None]:
    """Open a file for writing text; it takes the old one's place when the context ends well.

    Args:
        name: a path, ``-`` for standard output, or None, which yields None.

    Raises:
        click.BadParameter: the file cannot be made.
    """
    if name is None or name == STANDARD_OUTPUT:
        yield sys.stdout if name else None
        return
    path = Path(os.path.realpath(name))  # a link stays a link
    try:
        special = path.exists() and not path.is_file()
        target = path.open("w", encoding="utf-8") if special else _beside(path)
    except OSError as error:
        raise click.BadParameter(f"{name!r}: {error.strerror}", param_hint="'--output'") from None
    if special:  # a device or a pipe cannot be replaced, and need not
        with target:
            yield target
        return
    try:
        with target:
            yield target
            target.flush()
            os.fsync(target.fileno())
        Path(target.name).replace(path)
    except BaseException as error:
        Path(target.name).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = name  # a full disk does not say which
        raise


def _beside(path: Path) -> IO[str]:
    """A new file in the directory of another, with the mode that the other has or would get."""
    if path.exists():
        mode = stat.S_IMODE(path.stat().st_mode)
        with path.open("a"):  # a file that may not be written is not to be replaced either
            pass
    else:
        mask = os.umask(0)
        os.umask(mask)
        mode = 0o666 & ~mask
    file = tempfile.NamedTemporaryFile(  # noqa: SIM115 (closed by the caller)
        "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
    )
    Path(file.name).chmod(mode)
    return cast("IO[str]", file)
