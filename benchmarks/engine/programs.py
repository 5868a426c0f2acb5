"""Solvers that are programs: they read positions from standard input and write scores.

The program reads one position from each line, with 1-based columns, and answers with a line that
has the same moves and the score for the side to move. A third word, if there is one, is the number
of positions searched. Pascal Pons's ``c4solver`` does this, and so does ``c4 solve`` with
``--format c4solver``.

The measured time is the processor time that the system charges to the finished child. The time of
the same program without any input (loading, allocating its table) is measured just before, and
subtracted. So a short pass may even seem to take negative time; it is repeated, and means are
taken. The program itself decides whether to empty its table between positions.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
import time
from typing import IO, TYPE_CHECKING

from benchmarks.engine.solvers import Contender, Run
from benchmarks.record import without_directories
from cli.bench.timing import Lap

if TYPE_CHECKING:
    from collections.abc import Sequence

WITH_NODES = 3
"""The number of words in an answer with the number of positions searched."""


class ProgramError(Exception):
    """A program cannot be started, has failed, or has answered with something else than scores."""


class Program(Contender):
    """A solver that is a program.

    Args:
        name: its name in tables.
        command: its command line, which is split as by a shell.

    Raises:
        ProgramError: there is no such program.
    """

    def __init__(self, name: str, command: str) -> None:
        self.name = name
        self.version = without_directories(command)
        self._arguments = shlex.split(command)
        if not self._arguments or shutil.which(self._arguments[0]) is None:
            raise ProgramError(f"{name}: no program {command!r}")

    def run(self, games: Sequence[str], *, fresh: bool = False) -> Run:
        """As in :class:`Contender`; with ``fresh``, the program is started for every position."""
        if fresh:
            runs = [self.run([moves]) for moves in games]
            counts = [run.nodes for run in runs if run.nodes is not None]
            total = Lap(sum(run.lap.cpu for run in runs), sum(run.lap.wall for run in runs))
            scores = [score for run in runs for score in run.scores]
            return Run(scores, total, sum(counts) if len(counts) == len(runs) else None)
        _, start = self._feed("")
        output, took = self._feed("".join(moves + "\n" for moves in games))
        lines = [line.split() for line in output.splitlines()]
        if len(lines) != len(games):
            raise ProgramError(f"{self.name}: {len(lines)} answers to {len(games)} positions")
        try:
            scores = [int(line[line[0] == moves]) for line, moves in zip(lines, games, strict=True)]
            told = all(len(line) >= WITH_NODES for line in lines)
            nodes = sum(int(line[2]) for line in lines) if told else None
        except (IndexError, ValueError):
            raise ProgramError(f"{self.name}: answers are not 'moves score'") from None
        return Run(scores, took - start, nodes)

    def _feed(self, text: str) -> tuple[str, Lap]:
        """Run the program once. Returns its output, and its time including the start."""
        with tempfile.TemporaryFile("w+") as source, tempfile.TemporaryFile("w+") as sink:
            source.write(text)
            source.seek(0)
            try:
                took = run_child(self._arguments, source, sink)
            except (OSError, subprocess.CalledProcessError) as error:
                raise ProgramError(f"{self.name}: {error}") from None
            sink.seek(0)
            return sink.read(), took


def run_child(
    arguments: Sequence[str],
    source: IO[str] | int = subprocess.DEVNULL,
    sink: IO[str] | int = subprocess.DEVNULL,
) -> Lap:
    """Run a program to its end. Returns its processor time and its wall-clock time.

    Args:
        arguments: the command line.
        source: its standard input.
        sink: its standard output; standard error is dropped.

    Raises:
        OSError: the program cannot be started.
        CalledProcessError: the program failed.
    """
    began = time.perf_counter()
    child = subprocess.Popen(arguments, stdin=source, stdout=sink, stderr=subprocess.DEVNULL)
    try:
        _, status, usage = os.wait4(child.pid, 0)
    except BaseException:
        child.kill()
        child.wait()
        raise
    wall = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise subprocess.CalledProcessError(child.returncode, arguments)
    return Lap(usage.ru_utime + usage.ru_stime, wall)
