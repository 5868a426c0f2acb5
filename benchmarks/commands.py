"""The time and memory of a command of C4, measured from outside its process."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from benchmarks.page import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

KILOBYTE: Final = 1024


@dataclass(frozen=True, slots=True)
class Usage:
    """The time and memory of a process."""

    seconds: float
    """Wall-clock time from its start to its end."""
    processor_seconds: float
    """Processor time of all threads."""
    peak_mb: float
    """The largest memory of the process."""


def run(arguments: Sequence[str], *, silent: bool = False) -> Usage:
    """Run ``c4`` in a process of its own.

    Args:
        arguments: the words after ``c4``.
        silent: whether its output is thrown away.

    Raises:
        click.ClickException: the exit code was not 0.
    """
    return run_program(
        [sys.executable, "-m", "cli", *arguments], name=f"c4 {' '.join(arguments)}", silent=silent
    )


def run_program(command: Sequence[str], *, name: str, silent: bool = False) -> Usage:
    """Run a program in a process of its own.

    Args:
        command: the program and its arguments.
        name: how messages call it.
        silent: whether its output is thrown away.

    Raises:
        click.ClickException: the exit code was not 0.
    """
    begin = time.perf_counter()
    output = subprocess.DEVNULL if silent else None
    with subprocess.Popen(command, cwd=ROOT, stdout=output) as process:
        _pid, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if process.returncode:
        raise click.ClickException(f"{name} ended with {process.returncode}")
    return Usage(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / KILOBYTE)
