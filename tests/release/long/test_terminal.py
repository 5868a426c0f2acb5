"""``c4 play`` as a process: on a terminal that a program types into, and line by line."""

import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import ioctl

import pytest

from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS


@dataclass
class Terminal:
    """A terminal and the program on it."""

    leader: int
    process: subprocess.Popen[str]
    written: bytes = field(default=b"")

    def type(self, keys: bytes) -> None:
        """Type keys."""
        os.write(self.leader, keys)

    def until(self, happens: Callable[[], bool]) -> None:
        """Read the output until a condition holds."""
        deadline = time.monotonic() + HANG_SECONDS
        while not happens():
            assert time.monotonic() < deadline, self.written[-2000:]
            self._read()

    def until_written(self, text: str) -> None:
        """Wait until this text was written, ignoring colours and positions."""
        self.until(lambda: text.encode() in self.written)

    def quit(self) -> tuple[int, str]:
        """Type q, and again if a window that was closing has ignored it."""
        while self.process.poll() is None:
            self.type(b"q")
            deadline = time.monotonic() + 1
            while self.process.poll() is None and time.monotonic() < deadline:
                self._read()
        return self.end()

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and the standard output."""
        self.until(lambda: self.process.poll() is not None)
        while self._read():
            pass
        assert self.process.stdout is not None
        return self.process.returncode, self.process.stdout.read()

    def hang_up(self) -> None:
        """Close the terminal."""
        if self.leader >= 0:
            os.close(self.leader)
        self.leader = -1

    def _read(self) -> bool:
        """Read what is there; return whether there was anything."""
        ready, _, _ = select.select([self.leader], [], [], 0.05)
        chunk = b""
        if ready:
            try:
                chunk = os.read(self.leader, 65536)
            except OSError:  # the other end is closed
                time.sleep(0.05)
        self.written += chunk
        return bool(chunk)


@contextmanager
def terminal(
    c4: C4,
    *arguments: str,
    program: tuple[str, ...] = ("-m", "cli"),
    size: tuple[int, int] = (80, 24),
    **environment: str,
) -> Iterator[Terminal]:
    """Start ``c4 play`` on a terminal of its own.

    ``program`` holds arguments of Python to run instead of ``c4``; ``size`` is in columns and rows.
    """
    leader, follower = pty.openpty()
    ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    process = subprocess.Popen(
        [sys.executable, *program, "play", "--no-store", *arguments],
        cwd=c4.directory,
        env={**os.environ, **c4.environment, "TERM": "xterm-256color", **environment},
        stdin=follower,
        stdout=subprocess.PIPE,
        stderr=follower,
        text=True,
    )
    os.close(follower)
    started = Terminal(leader, process)
    try:
        yield started
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
        started.hang_up()


def kept(c4: C4) -> str:
    """The moves of the saved game."""
    path = c4.directory / "game.json"
    return str(json.loads(path.read_text())["moves"]) if path.exists() else ""


def test_a_game_on_a_terminal(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    with terminal(c4, "--file", "game.json", "--second", "human", "--moves", "11223") as screen:
        screen.until_written("Undo")
        screen.type(b"7")
        screen.until(lambda: kept(c4) == "112237")
        screen.type(b"\x1b[<35;10;10M\x1b[<0;10;10M\x1b[<0;10;10m")  # a click into column 1 or 2
        screen.until(lambda: len(kept(c4)) == 7)
        assert kept(c4)[-1] in "12"
        screen.type(b"u")
        screen.until(lambda: kept(c4) == "112237")
        screen.type(b"3")
        screen.until(lambda: kept(c4) == "1122373")
        code, out = screen.quit()
    assert (code, out) == (0, "1122373: o to move (human)\n")
    assert b"\x1b[?1049h" in screen.written
    assert b"\x1b[?1049l" in screen.written  # the terminal is restored
    assert b"continue with: c4 play --resume --file game.json" in screen.written
    assert re.search(rb"\x1b\[[0-9;]*38;[25];", screen.written)

    with terminal(c4, "--file", "game.json", "--resume", "--json") as screen:
        screen.until_written("Undo")
        screen.type(b"74")  # x has no four yet, then has one
        screen.until(lambda: kept(c4) == "112237374")
        code, out = screen.quit()
    assert code == 0
    found = json.loads(out)
    assert (found["moves"], found["winner"], found["over"]) == ("112237374", "x", True)


def test_no_color_on_a_terminal(c4: C4) -> None:
    arguments = ("--file", "game.json", "--second", "human", "--moves", "112233")
    with terminal(c4, *arguments, NO_COLOR="1") as screen:
        screen.until_written("Undo")
        screen.type(b"h4")
        screen.until_written("has won")
        screen.until_written("[X]")  # the four
        screen.type(b"n")
        screen.until_written("Continue with these")
        screen.type(b"\t\t\r")  # cancel
        code, _ = screen.quit()
    assert code == 0
    assert not re.search(
        rb"\x1b\[(?:[0-9]+;)*(?:[34][0-8]|9[0-7]|10[0-7])(?:;[0-9]+)*m", screen.written
    )


def test_a_signal_ends_it_cleanly(c4: C4) -> None:
    with terminal(c4, "--file", "game.json", "--second", "human") as screen:
        screen.until_written("Undo")
        screen.process.send_signal(signal.SIGTERM)
        assert screen.end()[0] == 143
    assert b"\x1b[?1049l" in screen.written
    assert b"Interrupted." in screen.written
    assert b"Traceback" not in screen.written


def test_a_fault_is_reported_without_a_stack_trace(c4: C4) -> None:
    program = (
        "-c",
        (
            "from cli.__main__ import main; from cli.commands.play.screen import GameScreen; "
            "GameScreen.action_pause = lambda screen: 1 / 0; main()"
        ),
    )
    with terminal(c4, "--file", "game.json", program=program) as screen:
        screen.until_written("Undo")
        screen.type(b"p")
        assert screen.end()[0] == 1
    assert b"\x1b[?1049l" in screen.written
    assert b"Error: a fault in c4: ZeroDivisionError" in screen.written
    assert b"Traceback" not in screen.written


@pytest.mark.parametrize("signalled", [True, False])
def test_a_closed_terminal_ends_it(c4: C4, *, signalled: bool) -> None:
    with terminal(c4, "--file", "game.json", "--second", "human") as screen:
        screen.until_written("Undo")
        screen.type(b"4")
        screen.until(lambda: kept(c4) == "4")
        screen.hang_up()
        # The system sends SIGHUP to the owner of the terminal only.
        if signalled:
            screen.process.send_signal(signal.SIGHUP)
        assert screen.process.wait(HANG_SECONDS) == 129
    assert kept(c4) == "4"


def test_quitting_does_not_wait_for_a_thinking_player(c4: C4) -> None:
    arguments = ("--file", "game.json", "--first", "montecarlo-timed:time_ms=3600000")
    with terminal(c4, *arguments) as screen:
        screen.until_written("is thinking")
        assert screen.quit() == (0, "")


def test_an_untrusted_game_cannot_control_the_terminal(c4: C4) -> None:
    """Tested in the dialog that asks about the game, and beside the board."""
    reason = "\x1b]0;pwned\x1b\\ \x9d0;c1\x9c \x1b[2J\x1b[31mFORGED\nline"
    fields = {"format": "c4-play", "version": 1, "board": "7x6", "seed": 1, "moves": "4453"}
    failure = {"loser": "x", "reason": reason, "ending": "crash"}
    fields |= {"first": "human", "second": "random", "failure": failure}
    (c4.directory / "game.json").write_text(json.dumps(fields))
    with terminal(c4, "--resume", "--file", "game.json", size=(120, 40)) as screen:
        screen.until_written("x1b]0;pwned")
        screen.until_written("FORGED")
        screen.quit()
    for code in (b"\x1b]0;pwned", b"\x9d0;c1", "\x9d0;c1".encode(), b"\x1b[31mFORGED"):
        assert code not in screen.written
    # The complete terminal is used, although the output goes to a file.
    places = re.findall(rb"\x1b\[([0-9]+);([0-9]+)H", screen.written)
    assert max(int(column) for _, column in places) > 80
