"""Output to standard output, or into a file that appears completely or not at all."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO, cast

import click

from cli.shell.process import STDERR, STDOUT

if TYPE_CHECKING:
    from collections.abc import Iterator

STANDARD_OUTPUT = "-"
OPTION = "--output"

output_option = click.option(
    "-o",
    OPTION,
    metavar="FILE",
    help="Write the results to this file, completely or not at all; - is standard output.",
)


@contextmanager
def opened(name: str | None, *, binary: bool = False) -> Iterator[IO[Any] | None]:
    """Open a file for writing; it replaces the old one if the context ends without an error.

    ``name`` is a path or ``-`` for standard output; None yields None.
    """
    if name is None or name == STANDARD_OUTPUT:
        yield _raw(sys.stdout, binary=binary) if name else None
        return
    how: dict[str, Any] = {"mode": "wb"} if binary else {"mode": "w", "encoding": "utf-8"}
    if _is_device(name):
        with _device(name, how) as file:
            yield file
        return
    stream = _stream_into(name)
    if stream is not None:
        yield _raw(stream, binary=binary)
        return
    path = writable_path(name, option=OPTION)
    from c4core.files import atomic_file

    with atomic_file(path) as beside, beside.open(**how) as file:
        yield file


def check(name: str | None) -> None:
    """Check, before the work begins, that :func:`opened` can open a file."""
    if name is None or name == STANDARD_OUTPUT:
        return
    path = Path(name)
    if not _is_device(name):
        writable_path(name, option=OPTION)
    elif path.is_dir() or not os.access(path, os.W_OK):  # opening a pipe would wait for its reader
        reason = os.strerror(errno.EISDIR if path.is_dir() else errno.EACCES)
        raise click.BadParameter(f"{name!r}: {reason}", param_hint=f"'{OPTION}'")


def _is_device(name: str) -> bool:
    """Whether a name is a device or a pipe, which is written to and not replaced.

    Do not resolve the name: the target of ``/dev/stdout`` may have no path.
    """
    path = Path(name)
    return path.exists() and not path.is_file()


def _stream_into(name: str) -> TextIO | None:
    """The standard stream that already writes to this file, as after ``> FILE``, or None.

    Such a file must not be replaced: other commands may write to it before and after this one.
    """
    for stream, descriptor in ((sys.stdout, STDOUT), (sys.stderr, STDERR)):
        with suppress(OSError):  # the file does not exist yet
            if os.path.samestat(Path(name).stat(), os.fstat(descriptor)):
                return stream
    return None


def _raw(stream: TextIO, *, binary: bool) -> IO[Any]:
    return stream.buffer if binary else stream


def _device(name: str, how: dict[str, Any]) -> IO[Any]:
    try:
        return cast("IO[Any]", Path(name).open(**how))
    except OSError as error:
        raise click.BadParameter(f"{name!r}: {error.strerror}", param_hint=f"'{OPTION}'") from None


def writable_path(name: str, *, option: str) -> Path:
    """Check that a file can be written; return its path."""
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
