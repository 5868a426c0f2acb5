"""The examples of the help texts, and a directory in which they run."""

import re
import shlex
import subprocess

from cli.reference import contexts
from cli.shell.commands import Command, LazyGroup
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4, Result

ELSEWHERE = re.compile(r"c4 (--db \S+ )?(bench|mcp|serve|worker)\b")
"""Examples that run forever, are slow or need a terminal; other tests cover them."""

WITH_EXTRAS = re.compile(r"c4 learn\b|[.]parquet\b")
"""Examples that need an optional package."""


def examples() -> list[str]:
    """The examples of all commands, each once."""
    found: dict[str, None] = {}
    for context in contexts():
        assert isinstance(context.command, Command | LazyGroup)
        found |= dict.fromkeys(context.command.examples)
    return list(found)


def prepare(c4: C4) -> None:
    """Make positions, a finished and an unfinished job, a book, two matches, and a data set."""
    (c4.directory / "positions.txt").write_text(f"{EASY}\n{EASY}6\n{EASY}7\n")
    (c4.directory / "positions.csv").write_text(f"id,moves\na,{EASY}\nb,{EASY}6\n")
    assert c4("analyze", "-q", "--detach", "positions.txt").code == 0
    assert c4("analyze", "-q", "positions.txt").code == 0
    assert c4("--db", "book.db", "db", "init").code == 0
    book = ("book", "build", "-q", "--board", "5x4", "--plies", "4", "--output", "small.c4book")
    assert c4("--db", "book.db", *book).code == 0
    assert c4("prove", "--board", "4x4", "--output", "small.c4proof", "-q").code == 0
    for seed in ("1", "2"):
        options = ("--seed", seed, "--games", "5", "--judge", "none", "-q")
        assert c4("match", "set", "random", *options).code == 0
    for name in ("jsonl", "csv"):
        games = ("games", "export", "1", "-q", "--format", name, "-o", f"games.{name}")
        assert c4(*games).code == 0
    labelled = ("dataset", "build", "-q", "--plies", "34..", "--count", "50", "--output", "mid")
    assert c4("--db", "book.db", *labelled).code == 0


def ready_for(c4: C4, example: str) -> None:
    """Do the steps that an example expects its reader to have done."""
    if any(name in example for name in ("watch 1", "results 1", "delete 1")):
        assert c4("jobs", "resume", "1", "-q").code == 0
    made = re.search(r" (?:build|prove) .*--output (\S+)", example)
    if made and (old := c4.directory / made[1]).exists():
        old.rename(old.with_name("old"))  # an existing file is only replaced with --force


def run_here(c4: C4, example: str) -> Result:
    """Run the commands of a line in order; ``c4`` runs in this process."""
    if "$(" in example:
        return c4.shell(example)
    output = b""
    for command in re.split(r" (?:\|\|?|&&) ", example):
        line, _, _target = command.partition(" > ")
        line, _, source = line.partition(" < ")
        if line.startswith("c4 "):
            text = (c4.directory / source).read_bytes() if source else output
            done = c4(*shlex.split(line)[1:], stdin=text)
            output = done.out.encode()
        else:
            output = subprocess.run(
                ["bash", "-c", line], input=output, capture_output=True, check=True
            ).stdout
    return done


def check(example: str, done: Result) -> None:
    # Exit code 1 is a valid result: not stored, or not found. Any other code is a mistake.
    assert done.code in ({0, 1} if "query" in example else {0})
    assert "Error" not in done.err
    assert "Traceback" not in done.err
