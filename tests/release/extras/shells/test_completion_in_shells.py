"""``c4 completion`` in fish and zsh."""

import os
import pty
import re
import select
import subprocess
import time

from tests.support.running.command_line import C4
from tests.support.running.shells import COMPLETION_SECONDS, with_c4_on_the_path


def test_fish(c4: C4) -> None:
    (c4.directory / "games.db").touch()
    asked = ("c4 tourn", "c4 match set minimax-win", "c4 --db gam", "c4 jobs canc")
    lines = ["c4 completion fish | source", *(f"complete --do-complete '{line}'" for line in asked)]
    done = subprocess.run(
        ["fish", "--no-config", "-c", "\n".join(lines)],
        capture_output=True,
        check=True,
        cwd=c4.directory,
        env=with_c4_on_the_path(c4),
        text=True,
        timeout=COMPLETION_SECONDS,
    )
    words = [line.split("\t")[0] for line in done.stdout.splitlines()]
    assert words == ["tournament", "minimax-windows", "games.db", "cancel"]


def test_zsh(c4: C4) -> None:
    """Runs on a terminal and presses the real key."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        ["zsh", "-f", "-i"],
        cwd=c4.directory,
        env=with_c4_on_the_path(c4),
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
    """Read the terminal until the output matches."""
    shown = ""
    deadline = time.monotonic() + COMPLETION_SECONDS
    while not re.search(pattern, shown):
        left = deadline - time.monotonic()
        assert left > 0, shown
        if select.select([terminal], [], [], left)[0]:
            shown += os.read(terminal, 4096).decode(errors="replace").replace("\r\n", "\n")
