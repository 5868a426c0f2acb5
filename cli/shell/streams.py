"""Standard streams that may be closed or full, or whose reader may be gone."""

from __future__ import annotations

import io
import os
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TextIO

from cli.shell import exits

if TYPE_CHECKING:
    from collections.abc import Iterator

STDIN, STDOUT, STDERR = range(3)
UNWRITABLE = "backslashreplace"


def secure() -> None:
    """Make sure that descriptors 0 to 2 are open before anything else is opened.

    If standard output is closed, a database could get descriptor 1, and output would be written
    into it. The replacements cannot be written to, so output to a closed stream is an error and is
    not lost. A closed standard input reads as empty.

    Characters that standard output's encoding lacks are written as escapes, as on standard error:
    one stored label must not stop a list.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # takes the lowest free descriptor: this one
    if sys.stdin is None:
        sys.stdin = open(STDIN, encoding="utf-8", closefd=False)  # noqa: SIM115 (for good)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors=UNWRITABLE)
    if sys.stdout is None:
        sys.stdout = _text(STDOUT)
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (for good)


def _text(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", errors=UNWRITABLE, closefd=False)


def input_name(file: IO[Any]) -> str:
    """The name of an input file, for people."""
    return "standard input" if file.name in ("<stdin>", STDIN) else os.fsdecode(file.name)


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Add the input's name to errors while reading it; errors without a name are about output."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = name
        raise


def finish(code: int) -> int:
    """Flush the output. Return the exit code, or :data:`exits.PROBLEMS` if writing fails."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = code or exits.CLOSED_PIPE
        discard_output()
    except OSError as error:
        with ignoring_closed_stderr():
            sys.stderr.write(f"Error: cannot write the output: {error.strerror}\n")
        code = code or exits.PROBLEMS
        discard_output()
    try:
        sys.stderr.flush()
    except OSError:
        _discard(STDERR)
    return code


@contextmanager
def ignoring_closed_stderr() -> Iterator[None]:
    """Ignore a closed standard error, which must not change the exit code."""
    with suppress(OSError):
        yield


def discard_output() -> None:
    """Discard buffered standard output, so that the last flush cannot fail.

    If it failed, Python would exit with its own code, 120.
    """
    _discard(STDOUT)


def _discard(descriptor: int) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
