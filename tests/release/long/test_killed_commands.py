"""A command that is killed at any moment: its file is complete or missing, and nothing is lost.

All commands with jobs share the runner and the way in which files are written.
"""

import json
import random
import signal
import subprocess
import time
from pathlib import Path

from tests.support.boards.games import random_games
from tests.support.running.command_line import C4

KILLS = 20
POSITIONS = random_games(1500, empty=24)
ANALYZE = ("analyze", "positions.txt", "--output", "out.jsonl")


def prepared(directory: Path) -> C4:
    """A directory in which the command can run."""
    directory.mkdir()
    (directory / "positions.txt").write_text("".join(f"{moves}\n" for moves in POSITIONS))
    return C4(directory)


def answers(path: Path) -> object:
    """The answers in a file of results, without parts that differ from run to run."""
    fields = ("moves", "score", "scores", "best", "plies")
    rows = map(json.loads, path.read_text().splitlines())
    return [[row[name] for name in fields] for row in rows]


def finished(c4: C4) -> object:
    """Run the command until it has done everything, with retries of failed units."""
    for _ in range(2):
        with c4.start(*ANALYZE) as process:
            _, errors = process.communicate(timeout=300)
        if process.returncode == 0:
            break
        for job in json.loads(c4("jobs", "list", "--state", "failed", "--json").out):
            c4("jobs", "resume", str(job["job"]))
    assert (process.returncode, "Traceback" in errors) == (0, False), errors
    return answers(c4.directory / "out.jsonl")


def test_killing_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    began = time.monotonic()
    expected = finished(prepared(tmp_path / "undisturbed"))
    lasts = time.monotonic() - began
    c4 = prepared(tmp_path / "killed")
    written = c4.directory / "out.jsonl"
    chance = random.Random(7)
    killed = 0
    while killed < KILLS:
        with c4.start(*ANALYZE) as process:
            try:
                process.wait(chance.uniform(0.1, lasts))
            except subprocess.TimeoutExpired:
                process.kill()
        if process.returncode == -signal.SIGKILL:
            killed += 1
        else:
            assert process.returncode in {0, 1}
        if written.exists():
            assert answers(written) == expected
            written.unlink()
        if process.returncode == 0:  # everything is stored: start afresh
            for file in c4.directory.glob("test.db*"):
                file.unlink()
    assert finished(c4) == expected
    # Units of killed processes are known to be free, and nothing else is wrong.
    problems = c4("db", "check").out.splitlines()
    assert [problem for problem in problems if not problem.startswith("note: ")] == []
