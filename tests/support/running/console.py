"""Pages with console blocks: their commands, their output, and ``c4`` on a screen.

``python -m tests.support.running.console docs/tutorial.md`` updates the output in a page.
"""

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from cli.app import run
from tests.support.running.command_line import C4

MEASURED = (
    (r"\d[\d,.]* ?(ns|µs|ms|s)\b", "TIME"),
    (r"\d[\d,.]* (games/s|nodes)", r"N \1"),
    (r'"(nodes|seconds)": [\d.e-]+', r'"\1": N'),
    (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\dZ?)?", "DATE"),
    (r"\bin \d+(:\d\d)+", "in TIME"),  # a minute or more
    (r" +", " "),  # the width of a column varies with its content
)
"""Patterns that differ from run to run, and their replacements."""


def blocks(page: Path, kind: str = "console") -> list[str]:
    """The blocks of a page that begin with three backticks and this word."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def commands(block: str) -> str:
    return "\n".join(line[2:] for line in block.splitlines() if line.startswith("$ "))


def printed(block: str) -> str:
    """The output below the commands of a block, as one text."""
    return "".join(line for line in block.splitlines(keepends=True) if not line.startswith("$ "))


def dialogue(block: str) -> list[tuple[str, str]]:
    """Each command line of a block with its output."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def without_measures(text: str) -> str:
    """Replace times, dates, rates and numbers of nodes by fixed words."""
    for measure, word in MEASURED:
        text = re.sub(measure, word, text)
    return text


class _Screen(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def answer(c4: C4, line: str) -> str:
    """The output of a command line; ``c4`` runs in this process, other lines in a shell."""
    if line.startswith("c4 ") and "|" not in line:
        return on_screen(c4, shlex.split(line)[1:])
    return c4.shell(line).out


def on_screen(c4: C4, arguments: Sequence[str], *, coloured: bool = False) -> str:
    """The output of a command on a screen of 100 columns, without progress."""
    written = io.BytesIO()
    environment = os.environ | c4.environment | {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    if coloured:
        del environment["NO_COLOR"]
        environment["TERM"] = "xterm"
    with (
        contextlib.chdir(c4.directory),
        mock.patch.dict(os.environ, environment, clear=True),
        mock.patch("sys.stdout", _Screen(written, "utf-8", write_through=True)),
        mock.patch("sys.stderr", io.TextIOWrapper(written, "utf-8", write_through=True)),
    ):
        run(arguments)
        return written.getvalue().decode()


def rewrite(page: Path) -> None:
    """Run a page's blocks from top to bottom, and insert their output into the page."""
    text = page.read_text()
    with tempfile.TemporaryDirectory() as directory:
        c4 = C4(Path(directory))
        for block in blocks(page):
            lines = [line for line, _ in dialogue(block)]
            new = "".join(f"$ {line}\n{answer(c4, line)}" for line in lines)
            text = text.replace(f"```console\n{block}```", f"```console\n{new}```")
    page.write_text(text)


if __name__ == "__main__":
    rewrite(Path(sys.argv[1]))
