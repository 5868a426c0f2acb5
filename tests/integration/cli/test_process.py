"""The process ``c4``: its start, interrupts, and missing streams."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from c4core.version import __version__
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4, ROOT, Result
from tests.support.running.console import on_screen
from tests.support.running.terminal import run_on_terminal
from tests.support.running.waiting import HANG_SECONDS, await_thread_at_work, needs_proc

HARD = ("solve", "", "--board", "10x7")
"""A search that takes months."""
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full")

INTERRUPTED_IMPORT = """
import os, signal, sys

interrupts_at = sys.argv.pop(1)

class Interrupting:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == interrupts_at:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting)
from cli.__main__ import main
main()
"""
"""Run a command whose import of a module is interrupted."""

DROPPED = """
import os, signal, sys
from cli.shell import process

class Dying:
    def __del__(self):
        {deed}

process.handle_signals()
Dying()
process.check_signals()
"""
"""Run code while an object is destroyed."""


def into_full_disk(c4: C4, *arguments: str) -> Result:
    return c4.into(os.open(FULL, os.O_WRONLY), *arguments)


def python(program: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a program in Python, from the root of the checkout."""
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def end_by(process: subprocess.Popen[str], number: int) -> Result:
    """Send a signal to a process that would run for hours, and wait for its end."""
    try:
        process.send_signal(number)
        out, err = process.communicate(timeout=HANG_SECONDS)
    finally:
        process.kill()
    return Result(process.returncode, out, err)


@pytest.mark.parametrize("program", [("-m", "cli"), (str(ROOT / "cli" / "__main__.py"),)])
def test_the_program_starts_as_a_module_and_as_a_file(c4: C4, program: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, *program, "--version"],
        cwd=c4.directory,
        env=os.environ | c4.environment,
        capture_output=True,
        check=False,
        text=True,
    )
    assert re.fullmatch(
        rf"c4 {re.escape(__version__)} \(engine \d+, schema c4_\d+\)\n", done.stdout
    )


def test_a_command_line_without_a_command_shows_the_help(c4: C4) -> None:
    done = c4()
    assert (done.code, done.err) == (2, c4("--help").out)
    assert done.err.startswith("Usage: c4 [OPTIONS] COMMAND")
    assert c4("-h").out == c4("--help").out
    assert c4("jobs").err == c4("jobs", "--help").out


class TestInterrupts:
    @needs_proc
    @pytest.mark.parametrize(
        ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
    )
    def test_a_signal_ends_a_search(self, c4: C4, number: int, code: int) -> None:
        process = c4.start(*HARD)
        await_thread_at_work(process)
        done = end_by(process, number)
        assert (done.code, done.out) == (code, "")
        bounds = r"x to move, not solved yet: score between -\d+ and \+\d+ for x"
        guess = r"Guess, not proven: (too close to call|[xo] is favoured) \(x: ~\d+ %\)"
        assert re.fullmatch(f"Proven so far: {bounds}\n{guess}\nInterrupted.\n", done.err)

    @needs_proc
    def test_an_interrupt_ends_the_games_of_players_who_think(self, c4: C4) -> None:
        process = c4.start("match", "minimax-windows:depth=20", "random", "--board", "12x4")
        await_thread_at_work(process)
        done = end_by(process, signal.SIGINT)
        assert (done.code, done.out) == (130, "")
        assert done.err.endswith("Interrupted.\n")
        assert c4("games", "list", "--jsonl").objects == []

    def test_an_interrupted_job_releases_its_units_and_shows_how_to_resume(
        self, c4: C4, interrupt: Callable[..., str]
    ) -> None:
        assert c4("db", "init").code == 0
        (c4.directory / "lines").write_text('{"moves": "1122"}\n' * 3)
        errors = interrupt(c4, "analyze", "lines", "--board", "9x6")
        assert errors.splitlines()[-3:] == [
            "Done so far: 0 of 3 positions",
            "Results so far are kept; continue with: c4 jobs resume 1 --output -",
            "Interrupted.",
        ]
        shown = json.loads(c4("jobs", "show", "1", "--json").out)
        assert (shown["state"], shown["units"]["leased"]) == ("running", 0)

    def test_an_interrupted_deep_job_shows_the_proven_bounds(
        self, c4: C4, interrupt: Callable[..., str]
    ) -> None:
        assert c4("db", "init").code == 0
        errors = interrupt(c4, "deep", "--board", "8x7", "--threads", "1", "")
        proven, *rest = errors.splitlines()[-4:]
        assert re.match(r"Proven so far: score -\d+ to \+\d+, asked: \S+ or more\?$", proven)
        assert rest == [
            "Published score, not proven by this search: +2 for x",
            "Results so far are kept; continue with: c4 jobs resume 1",
            "Interrupted.",
        ]

    def test_a_second_signal_ends_the_process_at_once(self) -> None:
        program = """
import os, signal
from cli.shell import process

process.handle_signals()
try:
    os.kill(os.getpid(), signal.SIGTERM)
finally:
    os.kill(os.getpid(), signal.SIGINT)
    print("cleaned up")
"""
        done = python(program)
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "")

    @pytest.mark.parametrize("module", ["cli.app", "sqlalchemy.orm", "c4core.solver"])
    def test_an_interrupt_during_an_import_has_no_stack_trace(self, c4: C4, module: str) -> None:
        done = python(INTERRUPTED_IMPORT, module, *HARD, "--db", c4.environment["C4_DB"])
        assert done.returncode == 130
        assert done.stderr in {"", "Interrupted.\n"}

    def test_an_interrupt_dropped_by_python_is_raised_again(self) -> None:
        for lost in ("KeyboardInterrupt(2)", "ResourceWarning('an open file')"):
            signalled = f"try: os.kill(os.getpid(), signal.SIGINT)\n        finally: raise {lost}"
            done = python(DROPPED.format(deed=signalled))
            assert "ignored" not in done.stderr
            assert done.stderr.endswith("KeyboardInterrupt: 2\n")
        # Other exceptions are only shown.
        done = python(DROPPED.format(deed="raise ValueError('lost')"))
        assert done.returncode == 0
        assert "Exception ignored in" in done.stderr
        assert "ValueError: lost" in done.stderr

    def test_an_interrupt_within_generated_code_does_not_change_the_code(
        self, tmp_path: Path
    ) -> None:
        """This happens when a module with dataclasses is imported."""
        program = """
import os, signal, sys
from cli.shell import process

process.handle_signals()
try:
    exec("os.kill(os.getpid(), signal.SIGINT)")
except KeyboardInterrupt as interrupt:
    code = process.exit_code(interrupt)
process.ignore_signals()
sys.exit(code)
"""
        (tmp_path / "interrupted.py").write_text(program)
        command = [sys.executable, "-m", "interrupted"]  # with -m only
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, check=False)
        assert done.returncode == 130


class TestOutput:
    @pytest.mark.parametrize("command", [["solve", EASY], ["--help"], ["query", EASY, "--csv"]])
    @needs_full
    def test_a_full_disk_is_reported(self, c4: C4, command: list[str]) -> None:
        assert c4("solve", EASY).code == 0
        done = into_full_disk(c4, *command)
        assert done.code == 1
        assert done.err == "Error: cannot write the output: No space left on device\n"

    def test_closed_output_is_reported(self, c4: C4) -> None:
        done = c4.shell(f"c4 solve {EASY} >&-")
        assert done.code == 1
        assert done.err == "Error: cannot write the output: Bad file descriptor\n"
        assert c4.shell(f"c4 solve {EASY} 2>&- <&-").code == 0

    @pytest.mark.parametrize("buffered", [True, False])
    def test_the_exit_code_does_not_depend_on_a_reader_of_the_message(
        self, c4: C4, monkeypatch: pytest.MonkeyPatch, *, buffered: bool
    ) -> None:
        """If the last flush failed, Python would exit with 120."""
        monkeypatch.setenv("PYTHONUNBUFFERED", "" if buffered else "1")
        reader, writer = os.pipe()
        os.close(reader)
        process = c4.start("solve", "8", stderr=writer)
        os.close(writer)
        process.communicate(timeout=HANG_SECONDS)
        assert process.returncode == 2

    def test_a_file_behind_an_output_is_not_replaced(self, c4: C4) -> None:
        (c4.directory / "one").write_text(f"{EASY}\n")
        log = c4.directory / "log"
        log.write_text("before\n")
        analyze = ("analyze", "one", "-q", "-o", "/dev/stdout")
        assert c4.into(os.open(log, os.O_WRONLY | os.O_APPEND), *analyze).code == 0
        before, answer = log.read_text().splitlines()
        assert (before, json.loads(answer)["moves"]) == ("before", EASY)
        reader, writer = os.pipe()
        assert c4.into(writer, *analyze).code == 0
        with open(reader) as pipe:  # noqa: PTH123 (a descriptor)
            assert json.loads(pipe.read())["moves"] == EASY
        line = "(echo before; c4 analyze one -o /dev/stderr -q; echo after) 2> log >&2"
        assert c4.shell(line).code == 0
        before, answer, after = log.read_text().splitlines()
        assert (before, json.loads(answer)["moves"], after) == ("before", EASY, "after")

    def test_characters_outside_its_encoding_are_escaped(self, c4: C4) -> None:
        assert c4("analyze", "-", "-q", "--label", "\u00e4", stdin=EASY).code == 0
        done = c4.shell("PYTHONIOENCODING=ascii c4 jobs list")
        assert (done.code, done.err) == (0, "")
        assert done.out.splitlines()[-1].endswith(r" \xe4")

    def test_a_job_with_a_closed_pipe_shows_how_to_resume(self, c4: C4) -> None:
        (c4.directory / "lines").write_text(f"{EASY}\n" * 3000)  # more than a pipe holds
        done = c4.shell("set -o pipefail; c4 analyze lines | head -n 1 > /dev/null")
        assert done.code == 141
        self.resume(c4, done, 3000)

    @needs_full
    def test_a_job_on_a_full_disk_shows_how_to_resume(self, c4: C4) -> None:
        (c4.directory / "lines").write_text(f"{EASY}\n" * 100)
        done = into_full_disk(c4, "analyze", "lines")
        assert done.code == 1
        self.resume(c4, done, 100)

    @staticmethod
    def resume(c4: C4, done: Result, lines: int) -> None:
        assert re.search(r"c4 jobs (resume 1 --output -|results 1)\n", done.err)
        assert c4("jobs", "resume", "1", "-q", "-o", "out").code == 0
        assert len((c4.directory / "out").read_text().splitlines()) == lines


class TestInput:
    @pytest.mark.parametrize(
        ("command", "code", "error"),
        [
            ("analyze -", 2, "standard input is empty"),
            ("games import -", 2, "standard input is empty"),
            ("solve -", 0, ""),
            ("solve --grid -", 2, "standard input: the file has no grid"),
            ("play --no-store", 0, ""),
        ],
    )
    def test_input_may_be_empty_or_unreadable(
        self, c4: C4, command: str, code: int, error: str
    ) -> None:
        done = c4(*command.split())
        assert done.code == code
        assert error in done.err
        assert "fault" not in done.err
        with open(os.devnull, "wb") as unreadable:  # noqa: PTH123 (a device)
            done = c4(*command.split(), stdin=unreadable.fileno())
        assert done.code == 1
        assert done.err.splitlines()[-1] == "Error: standard input: Bad file descriptor"

    def test_closed_input_counts_as_empty(self, c4: C4) -> None:
        done = c4.shell("c4 analyze - <&-")
        assert done.code == 2
        assert "standard input is empty" in done.err

    @pytest.mark.parametrize("command", ["analyze", "games import", "solve --grid"])
    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a file whose reading fails")
    def test_an_unreadable_file_is_reported(self, c4: C4, command: str) -> None:
        done = c4(*command.split(), "/proc/self/mem")
        assert done.code == 1
        assert done.err.splitlines()[-1] == "Error: /proc/self/mem: Input/output error"

    def test_names_that_are_not_utf_8(self, c4: C4) -> None:
        (c4.directory / "x\udcff.jsonl").write_text('{"moves": "4141474"}\n')
        assert c4("games", "import", "x\udcff.jsonl").code == 0
        (row,) = c4("games", "matches", "--jsonl").objects
        assert row["label"] == "x\ufffd.jsonl"
        for command in ("analyze --sample", "games import -", "match set random", "deep 4"):
            done = c4(*command.split(), "--label", "x\udcff")
            assert done.code == 2
            assert "is not UTF-8 text" in done.err


class TestTerminal:
    def test_stones_have_colours_unless_no_color_is_set(
        self, c4: C4, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("NO_COLOR", raising=False)
        written = run_on_terminal(c4, "solve", EASY)
        assert b"\x1b[1;31mx" in written
        assert b"\x1b[1;33mo" in written
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", on_screen(c4, ("solve", EASY)))

    def test_progress_is_drawn(self, c4: C4) -> None:
        (c4.directory / "lines").write_text(f"{EASY}\n" * 1000)
        written = run_on_terminal(c4, "analyze", "lines", "--output", "out")
        assert b"1,000 of 1,000 positions" in written
        assert b"\x1b[?25h" in written  # the cursor is visible again
        assert b"1,000 of 1,000" not in run_on_terminal(c4, "analyze", "lines", "-o", "out", "-q")
