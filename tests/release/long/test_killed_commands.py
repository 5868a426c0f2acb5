"""Commands and processes that are killed at any moment: leftovers, and how they resume."""

import json
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from c4core.dataset.card import JSON_NAME
from tests.support.boards.games import random_games
from tests.support.running.command_line import C4, Result

KILLS = 20
POSITIONS = random_games(1500, empty=24)


class Command(NamedTuple):
    """A command that writes output, and the means to read it."""

    arguments: tuple[str, ...]
    output: str
    """A file, or a directory of files."""
    read: Callable[[Path], object]
    """Reads the output, without parts that differ from run to run."""
    prepare: tuple[tuple[str, ...], ...] = ()
    """Commands that run before, in a new directory."""


def digest(path: Path) -> object:
    """The bytes of a file, or of all files of a directory."""
    if path.is_dir():
        return {file.name: file.read_bytes() for file in path.iterdir() if file.is_file()}
    return path.read_bytes()


def is_whole(path: Path) -> bool:
    """Whether a file exists, or a data set with its card, which is put into place last."""
    return path.is_file() or (path / JSON_NAME).is_file()


def answers(path: Path) -> object:
    """The answers in a file of results."""
    fields = ("moves", "score", "scores", "best", "plies")
    rows = map(json.loads, path.read_text().splitlines())
    return [[row[name] for name in fields] for row in rows]


def content(path: Path) -> object:
    """The evaluations in an intact database."""
    c4 = C4(path.parent)
    assert c4("db", "check", "--db", path.name).code == 0
    rows = c4("query", "--db", path.name, "--jsonl").objects
    return [[row[name] for name in ("key", "lower", "upper", "scores")] for row in rows]


DATASET = ("dataset", "build", "--count", "3000", "--plies", "18..24", "--seed", "5")
COMMANDS = {
    "analyze": Command(("analyze", "positions.txt", "--output", "out.jsonl"), "out.jsonl", answers),
    "jobs resume": Command(
        ("jobs", "resume", "1", "--output", "out.jsonl"),
        "out.jsonl",
        answers,
        prepare=(("analyze", "--detach", "positions.txt"),),
    ),
    "book build": Command(
        ("book", "build", "--board", "5x5", "--plies", "8", "--output", "out.c4book"),
        "out.c4book",
        digest,
    ),
    "prove": Command(
        ("prove", "", "--board", "6x5", "--at-most", "0", "--out", "out.c4proof"),
        "out.c4proof",
        digest,
    ),
    "dataset build": Command((*DATASET, "--output", "out"), "out", digest),
    "db backup": Command(
        ("db", "backup", "out.db"),
        "out.db",
        content,
        prepare=(("analyze", "positions.txt", "--output", "x"),),
    ),
}


def prepare(c4: C4, command: Command) -> None:
    for arguments in command.prepare:
        assert c4(*arguments).code == 0


def prepared(directory: Path, command: Command) -> C4:
    """A directory in which the command can run."""
    directory.mkdir()
    c4 = C4(directory)
    (directory / "positions.txt").write_text("".join(f"{moves}\n" for moves in POSITIONS))
    prepare(c4, command)
    return c4


def ran(c4: C4, *arguments: str) -> Result:
    """Run a process until it ends."""
    with c4.start(*arguments) as process:
        out, errors = process.communicate(timeout=300)
    return Result(process.returncode, out, errors)


def finished(c4: C4, command: Command, run: Callable[..., Result] = ran) -> None:
    """Run the command until it has done everything, with retries of failed units."""
    done = run(c4, *command.arguments)
    if done.code != 0:
        for job in json.loads(c4("jobs", "list", "--state", "failed", "--json").out):
            c4("jobs", "resume", str(job["job"]))
        done = run(c4, *command.arguments)
    assert (done.code, "Traceback" in done.err) == (0, False), done.err


@pytest.mark.parametrize("name", COMMANDS)
def test_killing_at_any_moment_loses_nothing(name: str, tmp_path: Path) -> None:
    command = COMMANDS[name]
    undisturbed = prepared(tmp_path / "undisturbed", command)
    began = time.monotonic()
    finished(undisturbed, command)
    lasts = time.monotonic() - began
    expected = command.read(undisturbed.directory / command.output)

    c4 = prepared(tmp_path / "killed", command)
    written = c4.directory / command.output
    chance = random.Random(7)
    killed = 0
    while killed < KILLS:
        with c4.start(*command.arguments) as process:
            try:
                process.wait(chance.uniform(0.1, lasts))
            except subprocess.TimeoutExpired:
                process.kill()
        if process.returncode == -signal.SIGKILL:
            killed += 1
        else:
            assert process.returncode in {0, 1}
        if is_whole(written):
            assert command.read(written) == expected
            if written.is_dir():
                shutil.rmtree(written)
            else:
                written.unlink()
        if process.returncode == 0:  # everything is stored: start afresh
            for file in c4.directory.glob("test.db*"):
                file.unlink()
            prepare(c4, command)
    finished(c4, command)
    assert command.read(written) == expected
    # Units of killed processes are known to be free, and nothing else is wrong.
    problems = c4("db", "check").out.splitlines()
    assert [problem for problem in problems if not problem.startswith("note: ")] == []
