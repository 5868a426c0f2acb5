"""``c4 completion``: Tab completes commands, options and values, in real shells."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.lacking import leave_out
from tests.support.running.command_line import C4, ROOT

SECONDS = 120


@pytest.fixture
def c4(tmp_path: Path) -> C4:
    """There is a program of this name on the path."""
    program = tmp_path / "bin" / "c4"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m cli "$@"\n')
    program.chmod(0o755)
    return C4(tmp_path)


def environment(c4: C4) -> dict[str, str]:
    path = f"{c4.directory / 'bin'}:{os.environ['PATH']}"
    return os.environ | c4.environment | {"PATH": path, "TERM": "dumb", "HOME": str(c4.directory)}


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        leave_out(f"{name} is not installed")
    return found


IN_BASH = """
eval "$(c4 completion bash)"
complete -p c4 >/dev/null || exit 1
while read -r -a COMP_WORDS; do
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    [ "${COMP_WORDS[COMP_CWORD]}" = NOTHING ] && COMP_WORDS[COMP_CWORD]=
    COMPREPLY=()
    _c4_completion c4
    echo "${COMPREPLY[*]}"
done
"""
"""What bash itself does when Tab is pressed, for each line."""


def test_bash(c4: C4) -> None:
    expected = {
        "c4 tourn": "tournament",
        "c4 solve --table": "--table-mb",
        "c4 solve --format NOTHING": "text json c4solver",
        "c4 match set minimax-win": "minimax-windows",
        "c4 play --first hum": "human",
        "c4 worker --queues NOTHING": "interactive bulk",
        "c4 show --board 7": "7x6 7x7",
        "c4 --broker no": "none",
        "c4 config set th": "threads",
        "c4 config un": "unset",
        "c4 solve --no-such-": "",
    }
    done = subprocess.run(
        [shell("bash"), "--norc", "-c", IN_BASH],
        input="".join(f"{line}\n" for line in expected),
        capture_output=True,
        check=True,
        cwd=c4.directory,
        env=environment(c4),
        text=True,
        timeout=SECONDS,
    )
    assert done.stderr == ""
    assert dict(zip(expected, done.stdout.splitlines(), strict=True)) == expected


def test_fish(c4: C4) -> None:
    (c4.directory / "games.db").touch()
    asked = ("c4 tourn", "c4 match set minimax-win", "c4 --db gam", "c4 config set th")
    lines = ["c4 completion fish | source", *(f"complete --do-complete '{line}'" for line in asked)]
    done = subprocess.run(
        [shell("fish"), "--no-config", "-c", "\n".join(lines)],
        capture_output=True,
        check=True,
        cwd=c4.directory,
        env=environment(c4),
        text=True,
        timeout=SECONDS,
    )
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert words == ["tournament", "minimax-windows", "games.db", "threads"]


def test_zsh(c4: C4) -> None:
    """On a terminal, with the key that people press."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [shell("zsh"), "-f", "-i"],
        cwd=c4.directory,
        env=environment(c4),
        stdin=follower,
        stdout=follower,
        stderr=follower,
        start_new_session=True,
    )
    os.close(follower)
    try:
        begin = 'autoload -U compinit; compinit -u; eval "$(c4 completion zsh)"; print re""ady\n'
        os.write(leader, begin.encode())
        await_text(leader, r"\nready")
        os.write(leader, b"c4 match set minimax-win\t")
        await_text(leader, "minimax-windows")
    finally:
        process.kill()
        process.wait()
        os.close(leader)


def await_text(terminal: int, pattern: str) -> None:
    """Read what is written on a terminal until there is something like this."""
    shown = ""
    deadline = time.monotonic() + SECONDS
    while not re.search(pattern, shown):
        left = deadline - time.monotonic()
        assert left > 0, shown
        if select.select([terminal], [], [], left)[0]:
            shown += os.read(terminal, 4096).decode(errors="replace").replace("\r\n", "\n")


def test_completion_needs_no_configuration_that_is_in_order(c4: C4) -> None:
    bad = c4.directory / "bad.toml"
    bad.write_text("nonsense")
    done = subprocess.run(
        [sys.executable, "-m", "cli"],
        capture_output=True,
        check=False,
        cwd=c4.directory,
        env=environment(c4)
        | {"C4_CONFIG": str(bad), "PYTHONPATH": str(ROOT), "_C4_COMPLETE": "bash_complete"}
        | {"COMP_WORDS": "c4 solve --threads 4 --table", "COMP_CWORD": "4"},
        text=True,
        timeout=SECONDS,
    )
    assert (done.stdout, done.stderr) == ("plain,--table-mb\n", "")
