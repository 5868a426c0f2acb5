"""Files that commands will write: checked before the work begins."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

import click


def checked(name: str, *, option: str) -> Path:
    """The path of a file that will be written, once it is clear that this can be done.

    Args:
        name: as it was typed.
        option: where it was typed, for the message.

    Raises:
        click.BadParameter: it cannot be written; says why.
    """
    path = Path(os.path.realpath(name))  # a link stays a link
    if path.exists() and not path.is_file():  # a device cannot be replaced
        raise click.BadParameter(f"{name!r}: not a regular file", param_hint=f"'{option}'")
    if not path.parent.is_dir():
        folder = os.path.dirname(name) or str(path.parent)  # noqa: PTH120 (as typed)
        raise click.BadParameter(
            f"{name!r}: {os.strerror(errno.ENOENT)}: {folder!r}", param_hint=f"'{option}'"
        )
    try:
        if path.exists():
            with path.open("ab"):  # a file that may not be written may not be replaced either
                pass
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise click.BadParameter(f"{name!r}: {error.strerror}", param_hint=f"'{option}'") from None
    os.close(handle)
    Path(beside).unlink()
    return path
