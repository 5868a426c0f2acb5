"""Run programs to their end, and measure their use of resources."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import IO, Final, NamedTuple

import click

from benchmarks.record import ROOT

KILOBYTE: Final = 1024


class Usage(NamedTuple):
    """The time and memory of a process."""

    seconds: float
    """Wall-clock seconds from the start to the end."""
    processor_seconds: float
    """Processor seconds of all threads."""
    peak_mb: float
    """Peak memory in megabytes."""


class FailedError(click.ClickException):
    """A program cannot be started, has failed, or gives wrong answers or none."""


def run_c4(*arguments: str, silent: bool = False) -> Usage:
    """Run ``c4`` to its end; ``silent`` drops its output.

    Raises:
        FailedError: the exit code was not 0.
    """
    sink = subprocess.DEVNULL if silent else None
    return run_program(sys.executable, "-m", "cli", *arguments, sink=sink)


def run_program(
    *command: str, source: IO[str] | int | None = None, sink: IO[str] | int | None = None
) -> Usage:
    """Run a program to its end, like :func:`run_c4`."""
    begin = time.perf_counter()
    with subprocess.Popen(command, cwd=ROOT, stdin=source, stdout=sink) as process:
        try:
            _pid, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    if process.returncode:
        raise FailedError(f"{' '.join(command)} failed with code {process.returncode}")
    return Usage(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / KILOBYTE)
