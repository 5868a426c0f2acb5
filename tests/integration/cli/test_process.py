"""How ``c4`` starts, how it is interrupted, and what it does when its output goes nowhere."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from c4core.version import __version__
from tests.support.running.command_line import C4, ROOT
from tests.support.running.terminal import run_on_terminal
from tests.support.running.waiting import (
    AT_ONCE_SECONDS,
    WAIT_SECONDS,
    await_that,
    cpu_seconds,
    needs_proc,
)

EASY = "2252576253462244111563365343671351441"
HARD = ""  # the empty board
BEGIN_SECONDS = 1.5
"""Of computing: more than a command takes until it has begun."""


@pytest.fixture
def c4(tmp_path: Path) -> C4:
    return C4(tmp_path)


def test_version_and_help_of_the_module(c4: C4) -> None:
    done = c4.shell("c4 --version; c4 -h")
    assert re.match(rf"c4 {re.escape(__version__)} \(engine \d+\)\nUsage: c4 ", done.out)


def test_nothing_given_shows_the_help(c4: C4) -> None:
    done = c4.shell("c4")
    assert done.code == 2
    assert done.err.startswith("Usage: c4 [OPTIONS] COMMAND")
    assert done.err == c4.shell("c4 --help").out
    assert c4("jobs").err == c4("jobs", "--help").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shell_completion(c4: C4, shell: str) -> None:
    done = c4.shell(f"_C4_COMPLETE={shell}_source c4")
    assert "_C4_COMPLETE" in done.out
    done = c4.shell('COMP_WORDS="c4 so" COMP_CWORD=1 _C4_COMPLETE=bash_complete c4')
    assert done.out == "plain,solve\n"


def end_at_once(process: subprocess.Popen[str], number: int) -> tuple[str, str]:
    """Send a signal to a process that would go on for long; what it has written."""
    process.send_signal(number)
    try:
        return process.communicate(timeout=AT_ONCE_SECONDS)
    finally:
        process.kill()


def is_leased(c4: C4) -> bool:
    """Whether somebody works on the first job."""
    return re.search(r'"leased": [1-9]', c4("jobs", "show", "1", "--json").out) is not None


@needs_proc
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_search_ends_when_interrupted(c4: C4, number: int, code: int) -> None:
    process = c4.start("solve", HARD, "--board", "9x6")
    await_that(lambda: cpu_seconds(process.pid) > BEGIN_SECONDS, process)
    out, err = end_at_once(process, number)
    assert (process.returncode, out, err) == (code, "", "Interrupted.\n")


@needs_proc
def test_a_game_that_is_replayed_ends_when_interrupted(c4: C4) -> None:
    players = {"first": "minimax-windows:depth=20", "second": "random"}
    game = {"moves": "4343434", "board": "12x4", "seed": 1, **players}
    assert c4("games", "import", "-", stdin=json.dumps(game)).code == 0
    process = c4.start("games", "replay", "1:0")
    await_that(lambda: cpu_seconds(process.pid) > BEGIN_SECONDS, process)
    out, err = end_at_once(process, signal.SIGINT)
    assert (process.returncode, out, err) == (130, "", "Interrupted.\n")


@needs_proc
def test_a_match_of_a_player_that_thinks_ends_when_interrupted(c4: C4) -> None:
    process = c4.start("match", "minimax-windows:depth=20", "random", "--board", "12x4")
    await_that(lambda: is_leased(c4), process)
    begun = cpu_seconds(process.pid)
    await_that(lambda: cpu_seconds(process.pid) > begun + 0.3, process)  # it thinks
    _out, err = end_at_once(process, signal.SIGINT)
    assert process.returncode == 130
    assert err.endswith("Interrupted.\n")
    assert c4("games", "list", "--jsonl").objects == []


def start_long_job(c4: C4) -> subprocess.Popen[str]:
    process = c4.start("analyze", "-", "--board", "9x6")
    assert process.stdin is not None
    process.stdin.write('{"moves": "1122"}\n' * 3)
    process.stdin.close()
    process.stdin = None
    await_that(lambda: is_leased(c4), process)
    return process


def test_interrupted_job_tells_how_to_go_on(c4: C4) -> None:
    assert c4("db", "init").code == 0
    process = start_long_job(c4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, out) == (130, "")
    assert err.splitlines()[-2:] == [
        "What is done is kept; go on with: c4 jobs resume 1 --output -",
        "Interrupted.",
    ]
    assert json.loads(c4("jobs", "show", "1", "--json").out)["units"]["leased"] == 0


def test_second_interrupt_ends_at_once(c4: C4) -> None:
    assert c4("db", "init").code == 0
    process = start_long_job(c4)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert c4("db", "check").code == 0


def catches_termination(process: subprocess.Popen[str]) -> bool:
    """Whether it handles SIGTERM: Python alone does not, so ``c4`` has begun."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = re.search(r"SigCgt:\s*([0-9a-f]+)", status)
    assert caught is not None
    return bool(int(caught[1], 16) >> (signal.SIGTERM - 1) & 1)


@needs_proc
@pytest.mark.parametrize("delay", [0.0, 0.02, 0.05, 0.1, 0.2, 0.4])
def test_no_stack_trace_whenever_it_is_interrupted(c4: C4, delay: float) -> None:
    # An import that is interrupted leaves its file to the garbage collector, which warns.
    process = c4.start("solve", HARD, "--board", "9x6", warnings="error,ignore::ResourceWarning")
    while not catches_termination(process):
        time.sleep(0.001)
    time.sleep(delay)
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 130
    assert "Traceback" not in err


DROPPED = """
import os, signal, sys
from cli.shell import signals

class Dying:
    def __del__(self):
        {deed}

signals.install()
Dying()
signals.check()
"""


def test_an_interrupt_that_python_drops_is_raised_again_and_not_told() -> None:
    """As when it comes while an object is destroyed."""
    deed = "os.kill(os.getpid(), signal.SIGINT)"
    command = [sys.executable, "-c", DROPPED.format(deed=deed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "ignored" not in done.stderr
    assert done.stderr.endswith("KeyboardInterrupt: 2\n")


def test_an_interrupt_within_generated_code_does_not_change_the_code(tmp_path: Path) -> None:
    """As while a module with dataclasses is imported."""
    program = """
import os, signal, sys
from cli.shell import signals

signals.install()
try:
    exec("os.kill(os.getpid(), signal.SIGINT)")
except KeyboardInterrupt as interrupt:
    code = signals.exit_code(interrupt)
signals.ignore()
sys.exit(code)
"""
    (tmp_path / "interrupted.py").write_text(program)
    command = [sys.executable, "-m", "interrupted"]  # with -m only
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=False)
    assert done.returncode == 130


def test_other_dropped_exceptions_are_told() -> None:
    command = [sys.executable, "-c", DROPPED.format(deed="raise ValueError('lost')")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "Exception ignored in" in done.stderr
    assert "ValueError: lost" in done.stderr


def test_closed_pipe_is_quiet(c4: C4) -> None:
    lines = f"{EASY}\n" * 3000
    (c4.directory / "lines").write_text(lines)
    for command in ("solve - < lines", "analyze -q lines", "query --help"):
        done = c4.shell(f"set -o pipefail; c4 {command} | head -n 1 > /dev/null")
        assert done.err == ""
        assert done.code in {0, 141}


@pytest.mark.parametrize("command", [f"solve {EASY}", "--help", f"query {EASY} --csv"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_disk_behind_the_output(c4: C4, command: str) -> None:
    assert c4("solve", EASY).code == 0
    done = c4.shell(f"c4 {command} > /dev/full")
    assert done.code == 1
    assert done.err == "Error: cannot write the output: No space left on device\n"


def test_closed_output(c4: C4) -> None:
    done = c4.shell(f"c4 solve {EASY} >&-")
    assert done.code == 1
    assert done.err == "Error: cannot write the output: Bad file descriptor\n"
    assert c4.shell(f"c4 solve {EASY} 2>&- <&-").code == 0


@pytest.mark.parametrize(("stream", "name"), [("", "/dev/stdout"), ("2", "/dev/stderr")])
def test_output_into_a_standard_stream_does_not_replace_its_file(
    c4: C4, stream: str, name: str
) -> None:
    (c4.directory / "one").write_text(f"{EASY}\n")
    echo = "echo" if not stream else "echo >&2"
    analyze = f"c4 analyze one -o {name} -q"
    done = c4.shell(f"({echo} before; {analyze}; {echo} after) {stream}> log")
    assert done.code == 0
    before, answer, after = (c4.directory / "log").read_text().splitlines()
    assert (before, after) == ("before", "after")
    assert json.loads(answer)["moves"] == EASY
    piped = c4.shell(f"{analyze} {stream or 1}>&1 | cat")
    assert (piped.code, json.loads(piped.out)["moves"]) == (0, EASY)


@pytest.mark.parametrize(
    ("command", "code", "error"),
    [
        ("analyze", 2, "standard input is empty"),
        ("analyze -", 2, "standard input is empty"),
        ("games import -", 2, "standard input is empty"),
        ("solve -", 0, ""),
        ("solve --grid -", 2, "standard input: there is no grid in it"),
        ("play --plain --no-store", 0, ""),
    ],
)
def test_closed_input_is_an_empty_one(c4: C4, command: str, code: int, error: str) -> None:
    done = c4.shell(f"c4 {command} <&-")
    assert done.code == code
    assert error in done.err
    assert "fault" not in done.err


@pytest.mark.parametrize(
    "command",
    ["analyze -", "games import -", "solve -", "solve --grid -", "play --plain --no-store"],
)
def test_input_that_cannot_be_read(c4: C4, command: str) -> None:
    done = c4.shell(f"c4 {command} 0> /dev/null")
    assert done.code == 1
    assert done.err.splitlines()[-1] == "Error: standard input: Bad file descriptor"


# Input that fails in the midst of reading is looked at on every system above; by name, a file that
# opens and then fails is to be had on Linux alone.
@pytest.mark.parametrize("command", ["analyze", "games import", "solve --grid"])
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a file whose reading fails")
def test_file_that_cannot_be_read(c4: C4, command: str) -> None:
    done = c4.shell(f"c4 {command} /proc/self/mem")
    assert done.code == 1
    assert done.err.splitlines()[-1] == "Error: /proc/self/mem: Input/output error"


def test_what_the_output_has_no_characters_for(c4: C4) -> None:
    assert c4("analyze", "-", "-q", "--label", "\u00e4", stdin=EASY).code == 0
    done = c4.shell("PYTHONIOENCODING=ascii c4 jobs list")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].endswith(r" \xe4")


def test_names_that_are_no_text(c4: C4) -> None:
    name = "x\udcff.jsonl"
    (c4.directory / name).write_text('{"moves": "4141474"}\n')
    assert c4.shell("c4 games import x*.jsonl").code == 0
    (row,) = c4("games", "matches", "--jsonl").objects
    assert row["label"] == "x\ufffd.jsonl"
    for command in ("analyze --sample", "games import x*.jsonl", "match set random", "deep 4"):
        done = c4.shell(f"c4 {command} --label $'x\\xff'")
        assert done.code == 2
        assert "is no text: it is not UTF-8" in done.err


LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/full")


@pytest.mark.parametrize(
    ("target", "code"),
    [("| head -n 1 > /dev/null", 141), pytest.param("> /dev/full", 1, marks=LINUX_ONLY)],
)
def test_output_that_fails_tells_how_to_go_on(c4: C4, target: str, code: int) -> None:
    (c4.directory / "lines").write_text(f"{EASY}\n" * 3000)
    done = c4.shell(f"set -o pipefail; c4 analyze lines {target}")
    assert done.code == code
    assert re.search(r"c4 jobs (resume 1 --output -|results 1)\n", done.err)
    assert c4("jobs", "resume", "1", "-q", "-o", "out").code == 0
    assert len((c4.directory / "out").read_text().splitlines()) == 3000


def test_terminal_shows_letters_in_colours(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    written = run_on_terminal(c4, "solve", EASY)
    assert b"\x1b[1;31mx" in written
    assert b"\x1b[1;33mo" in written


def test_no_color_is_honoured(c4: C4) -> None:
    written = run_on_terminal(c4, "solve", EASY, NO_COLOR="1")
    assert not re.search(rb"\x1b\[[0-9;]*3[0-9]m", written)


def test_progress_is_drawn_on_a_terminal(c4: C4) -> None:
    (c4.directory / "lines").write_text(f"{EASY}\n" * 3000)
    written = run_on_terminal(c4, "analyze", "lines", "--output", "out")
    assert b"3,000/3,000" in written
    assert b"100%" in written
    assert b"\x1b[?25h" in written  # the cursor is back
    assert b"3,000/3,000" not in run_on_terminal(c4, "analyze", "lines", "-o", "out", "-q")


def test_runs_from_the_checkout(c4: C4) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "cli" / "__main__.py"), "--version"],
        cwd=c4.directory,
        env=os.environ | c4.environment,
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.stdout.startswith("c4 ")


@pytest.mark.parametrize("buffered", [True, False])
def test_the_exit_code_is_the_same_when_nobody_reads_the_message(
    c4: C4, monkeypatch: pytest.MonkeyPatch, *, buffered: bool
) -> None:
    """Text that is left in a buffer must not fail at the very end, which Python tells by 120."""
    monkeypatch.setenv("PYTHONUNBUFFERED", "" if buffered else "1")
    reader, writer = os.pipe()
    os.close(reader)
    process = c4.start("solve", "8", stderr=writer)
    os.close(writer)
    process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 2
