"""The README's console blocks run as printed, in an environment with what it says to install."""

import os
import pty
import re
import subprocess
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.support.boards.games import random_games
from tests.support.running.command_line import ROOT
from tests.support.running.console import blocks, commands, printed
from tests.support.running.databases import PostgresDatabases
from tests.support.running.environments import Environment
from tests.support.running.servers import RedisServer

pytestmark = pytest.mark.servers

README = ROOT / "README.md"
BLOCKS = blocks(README)
SECONDS = 600
STYLES = re.compile(r"\x1b\[[0-9;]*m")

INTERRUPTED = ("c4 deep", "c4 jobs watch")
"""What takes hours, and is interrupted here, as the README says one may."""


def interrupted(line: str) -> str:
    if line.startswith(INTERRUPTED):
        return f"timeout --preserve-status --signal=INT 8 {line} || test $? = 130"
    return line


def on_terminal(program: str, where: Environment, **variables: str) -> tuple[int, str]:
    """Run lines in bash, which write to a terminal: the exit code, and what is on it."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-ec", program],
        cwd=where.directory,
        env=where.variables(NO_COLOR="1", TERM="xterm", COLUMNS="100", **variables),
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
        except OSError:  # nobody has the other end any more
            break
    os.close(leader)
    return process.wait(SECONDS), STYLES.sub("", written.decode()).replace("\r\n", "\n")


def test_blocks(
    fresh: Environment, postgres_server: PostgresDatabases, redis_server: RedisServer
) -> None:
    """One after another in one directory, as a reader would; only hosts' names are replaced."""
    (fresh.directory / "positions.txt").write_text("\n".join(random_games(50, empty=20)) + "\n")
    with psycopg.connect(postgres_server.url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE c4")
    hosts = {
        "@dbhost/": f"@{urlsplit(postgres_server.url).netloc.rpartition('@')[2]}/",
        "redis://dbhost": f"redis://{urlsplit(redis_server.url).netloc}",
    }
    assert len(BLOCKS) > 6
    for block in BLOCKS:
        if block.startswith("$ make "):
            continue  # of the checkout; they are tests themselves
        lines = commands(block)
        for name, place in hosts.items():
            lines = lines.replace(name, place)
        program = "\n".join(map(interrupted, lines.splitlines()))
        code, shown = on_terminal(
            f"trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n{program}", fresh
        )
        assert code == 0, (program, shown)
        assert "Traceback" not in shown
        if printed(block):
            assert shown == printed(block)


def test_python_session(installed: Environment) -> None:
    done = installed.shell(f"python -m doctest {README}")
    assert (done.code, done.out) == (0, "")
