"""The README's console blocks run as printed, in an environment with only the wheel."""

import os
import pty
import re
import subprocess

from tests.support.running.command_line import ROOT
from tests.support.running.console import blocks, commands, printed, without_measures
from tests.support.running.environments import Environment

README = ROOT / "README.md"
BLOCKS = blocks(README)
SECONDS = 600
STYLES = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(program: str, where: Environment) -> tuple[int, str]:
    """Run lines in bash on a terminal; return the exit code and the terminal's output."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-ec", program],
        cwd=where.directory,
        env=where.variables(NO_COLOR="1", TERM="xterm", COLUMNS="100"),
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    )
    os.close(follower)
    written = b""
    while True:
        try:
            written += os.read(leader, 65536)
        except OSError:  # the other end is closed
            break
    os.close(leader)
    return process.wait(SECONDS), STYLES.sub("", written.decode()).replace("\r\n", "\n")


def test_console_blocks_run(installed: Environment) -> None:
    """One after another in one directory, as a reader would."""
    assert len(BLOCKS) >= 5
    for block in BLOCKS:
        if block.startswith("$ make "):
            continue  # blocks for a checkout run as tests anyway
        lines = commands(block)
        code, shown = on_terminal(lines, installed)
        assert code == 0, (lines, shown)
        assert "Traceback" not in shown
        if printed(block):
            assert without_measures(shown) == without_measures(printed(block))


def test_the_python_session_runs(installed: Environment) -> None:
    done = installed.shell(f"python -m doctest {README}")
    assert (done.code, done.out) == (0, "")
