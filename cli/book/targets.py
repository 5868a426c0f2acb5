"""Files that commands for books write: looked at before the work begins, whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator


def checked(name: str, *, option: str) -> Path:
    """The path of a file that is going to be written, once it is clear that it can be.

    Args:
        name: as it was typed.
        option: where it was typed, for the message.

    Raises:
        click.BadParameter: it cannot be written; says why.
    """
    path = Path(os.path.realpath(name))  # a link stays a link
    if path.exists() and not path.is_file():  # a device is not to be replaced
        raise click.BadParameter(f"{name!r}: not a regular file", param_hint=f"'{option}'")
    try:
        if path.exists():
            with path.open("ab"):  # a file that may not be written is not to be replaced either
                pass
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise click.BadParameter(f"{name!r}: {error.strerror}", param_hint=f"'{option}'") from None
    os.close(handle)
    Path(beside).unlink()
    return path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """The path of a new file beside another, whose place it takes when the context ends well.

    Raises:
        OSError: names the file that was wanted, not the one beside it.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(_usual_mode())
        beside.replace(path)
    except BaseException as error:
        with suppress(FileNotFoundError):
            beside.unlink()
        if isinstance(error, OSError):
            error.filename = str(path)
        raise


def _usual_mode() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
