"""A server of its own, with a database of its own, and the memory that it has."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from benchmarks import commands
from benchmarks.page import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OPTIONS: Final = ("--rate=0",)
"""All load comes from one address, which may ask 50 questions a second otherwise."""
SAMPLE_SECONDS: Final = 0.5


class Serving:
    """A server that is running.

    Args:
        process: its own.
        port: where it listens, on this machine only.
    """

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port
        self._most_mb = 0.0
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def ask(self, target: str) -> Any:  # noqa: ANN401 (JSON)
        """The answer to a question.

        Raises:
            click.ClickException: it is an error.
        """
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", target)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status != 200:  # noqa: PLR2004
            raise click.ClickException(f"{target}: {answer.status} {body!r}")
        return json.loads(body)

    def look(self) -> None:
        """Take note of the memory that it has now."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        resident_mb = int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6
        with self._lock:
            self._most_mb = max(self._most_mb, resident_mb)

    def take_most_mb(self) -> float:
        """The most resident megabytes since this was called before; it looks twice a second."""
        self.look()
        with self._lock:
            most, self._most_mb = self._most_mb, 0.0
        return most


def analyze(database: Path, moves: Sequence[str]) -> None:
    """Let a database know positions, by ``c4 analyze``."""
    questions = database.with_suffix(".txt")
    questions.write_text("".join(f"{text}\n" for text in moves), encoding="ascii")
    output = database.with_suffix(".jsonl")
    commands.run(["analyze", str(questions), f"--output={output}", f"--db={database}", "--quiet"])


@contextmanager
def serving(database: Path) -> Iterator[Serving]:
    """A server, until the end of the block.

    Raises:
        click.ClickException: it does not start.
    """
    command = [sys.executable, "-m", "cli", "serve", "--port=0", f"--db={database}", *OPTIONS]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            server = Serving(process, _port(process))
            with _sampled(server):
                yield server
        finally:
            process.terminate()


def _port(process: subprocess.Popen[str]) -> int:
    said = ""
    for line in process.stdout or ():
        said += line
        if found := re.search(r"http://[\w.]+:(\d+)", line):
            return int(found[1])
    raise click.ClickException(f"c4 serve does not start: {said}")


@contextmanager
def _sampled(server: Serving) -> Iterator[None]:
    """Look at the memory twice a second."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(SAMPLE_SECONDS):
            server.look()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
