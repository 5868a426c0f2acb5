"""``c4 engine`` as a process: a conversation, its end, and its signals."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS

THREE_IN_A_ROW = "position startpos moves P@a1 P@a2 P@b1 P@b2 P@c1 P@c2"


def started(tmp_path: Path, *options: str) -> subprocess.Popen[str]:
    return C4(tmp_path).start("engine", "--table-mb", "1", "--threads", "1", *options, bufsize=1)


def ask(engine: subprocess.Popen[str], *lines: str, last: str) -> list[str]:
    """Send lines, and read until a line starts with the given words."""
    assert engine.stdin is not None
    assert engine.stdout is not None
    engine.stdin.write("".join(f"{line}\n" for line in lines))
    answers: list[str] = []
    while not answers or not answers[-1].startswith(last):
        line = engine.stdout.readline()
        assert line, f"{last} did not come after {answers}"
        answers.append(line.rstrip("\n"))
    return answers


def test_a_conversation(tmp_path: Path) -> None:
    with started(tmp_path, "--no-book") as engine:
        assert ask(engine, "uci", last="uciok")[0].startswith("id name C4")
        assert ask(engine, "isready", last="readyok") == ["readyok"]
        found = ask(engine, THREE_IN_A_ROW, "go", last="bestmove")
        assert found[-1] == "bestmove P@d1"
        assert ask(engine, "position startpos", "go", "isready", last="readyok") == ["readyok"]
        assert ask(engine, "stop", last="bestmove")[-1].startswith("bestmove ")
        assert ask(engine, "go infinite", "go", last="info")[0].endswith("end it with stop")
        assert ask(engine, "stop", last="bestmove")[-1].startswith("bestmove ")
        assert ask(engine, "nonsense", last="info")[0].startswith("info string error")
        assert ask(engine, "go movetime 20", last="bestmove")[-1] == "bestmove P@d1"
        rest, errors = engine.communicate("quit\n", timeout=HANG_SECONDS)
    assert (engine.returncode, rest, errors) == (0, "", "")


def test_the_end_of_the_input_ends_the_engine(tmp_path: Path) -> None:
    done = C4(tmp_path)("engine", stdin=f"{THREE_IN_A_ROW}\ngo\n")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1] == "bestmove P@d1"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_end_the_engine(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with started(tmp_path, "--no-book") as engine:
        ask(engine, "go infinite", "isready", last="readyok")
        engine.send_signal(number)
        rest, errors = engine.communicate(timeout=HANG_SECONDS)
    assert (engine.returncode, rest) == (code, "")
    assert "Traceback" not in errors
