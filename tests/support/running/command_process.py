"""A process that runs commands one after another, each at once when asked.

``python -m tests.support.running.command_process`` reads the arguments of ``c4`` from its input, a
JSON array a line, and writes the exit code of each. A new process for each command would first have
to import everything. The import takes longer than the command and varies, so two commands would
hardly ever overlap.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from cli.app import run
from tests.support.running.command_line import C4


@dataclass(frozen=True)
class Ready:
    """A process that waits for commands."""

    process: subprocess.Popen[str]

    def begin(self, *arguments: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(arguments) + "\n")
        self.process.stdin.flush()

    def code(self) -> int:
        """Wait for the command to end; return its exit code."""
        assert self.process.stdout is not None
        return int(self.process.stdout.readline())


@contextmanager
def ready(c4: C4, said: int) -> Iterator[Ready]:
    """A process in the directory of ``c4`` that writes its output to the descriptor ``said``."""
    with subprocess.Popen(
        [sys.executable, "-m", __name__],
        cwd=c4.directory,
        env=os.environ | c4.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=said,
        text=True,
    ) as process:
        try:
            yield Ready(process)
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(60) == 0
        finally:
            process.kill()


def answer(lines: Iterator[str], codes: int) -> None:
    """Run the commands, and write the exit codes to the descriptor ``codes``."""
    for line in lines:
        arguments: Sequence[str] = json.loads(line)
        os.write(codes, f"{run(arguments)}\n".encode())


if __name__ == "__main__":
    told = os.dup(1)
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 (a device)
        os.dup2(nowhere.fileno(), 1)
    answer(iter(sys.stdin), told)
