"""What strangers have named is shown escaped; and no command minds that nobody reads on."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import shutil
from pathlib import Path
from unittest import mock

import pytest

from cli.boundary import run
from cli.reference import contexts
from cli.shell import exits, streams
from tests.support.running.command_line import C4
from tests.support.running.terminal import run_on_terminal
from tests.support.strangers import COMMANDS, FILE, fill, is_safe

LEAVES = {
    context.command_path.removeprefix("c4 ")
    for context in contexts()
    if not hasattr(context.command, "commands")
}


NAMELESS = {"book export", "db upgrade", "players list"}
"""Commands whose output has no name in it."""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("strangers") / FILE
    directory.mkdir()
    fill(C4(directory))
    return directory


@pytest.fixture
def c4(filled: Path, tmp_path: Path) -> C4:
    return C4(Path(shutil.copytree(filled, tmp_path / FILE)))


def test_every_command_is_tried() -> None:
    assert set(COMMANDS) == LEAVES


@pytest.mark.parametrize("path", COMMANDS)
def test_what_strangers_named_is_escaped(c4: C4, path: str) -> None:
    done = c4(*path.split(), *COMMANDS[path], "-v")
    assert is_safe(done.out)
    assert is_safe(done.err)
    shown = done.out + done.err
    if ": pip install " not in done.err:  # else it has not come so far
        assert (r"\x1b]0;owned" in shown or r"\u001b]0;owned" in shown) == (path not in NAMELESS)
    assert "\nError: all is lost" not in shown
    assert "a fault in c4" not in shown


@pytest.mark.parametrize(
    "path", ["jobs list", "jobs show", "games show", "games report", "book info", "status"]
)
def test_nor_does_a_terminal_obey_them(c4: C4, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    written = run_on_terminal(c4, *path.split(), *COMMANDS[path]).decode()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", written).replace("\r\n", "\n")
    assert plain != written
    assert r"\x1b]0;owned\x07\x1b[2J" in plain
    assert is_safe(plain)


@pytest.mark.parametrize("path", COMMANDS)
def test_a_reader_that_has_gone_ends_a_command_in_silence(c4: C4, path: str) -> None:
    """A pipe that nobody reads: code 141 where something was written, and nothing is said of it."""
    usual = c4(*path.split(), *COMMANDS[path])
    code, err = run_into_closed_pipe(c4, *path.split(), *COMMANDS[path], "-q")
    assert "Exception ignored" not in err
    assert "Traceback" not in err
    assert "Broken pipe" not in err
    if usual.out:
        assert code in {usual.code, exits.CLOSED_PIPE}
        assert code != exits.FINE
        assert err == ""


@pytest.mark.parametrize("path", ["query", "jobs list", "games report", "db stats", "solve"])
def test_nor_in_a_shell(c4: C4, path: str) -> None:
    words = " ".join([path, *COMMANDS[path]])
    line = f"(sleep 0.2; c4 {words}; echo $? > code) | head -n 0"
    done = c4.shell(f"{line}; cat code")
    assert (done.out, done.err) == ("141\n", "")


def run_into_closed_pipe(c4: C4, *arguments: str) -> tuple[int, str]:
    """Run a command in this process as :mod:`cli.main` does; its code, and what it says."""
    reader, writer = os.pipe()
    os.close(reader)
    err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    kept = os.dup(1)
    os.dup2(writer, 1)
    os.close(writer)
    out = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 (it cannot be closed)
    try:
        with (
            contextlib.chdir(c4.directory),
            mock.patch.dict(os.environ, c4.environment),
            mock.patch("sys.stdout", out),
            mock.patch("sys.stderr", err),
            mock.patch("sys.unraisablehook", lambda hook: err.write(f"Exception ignored: {hook}")),
        ):
            code = streams.finish(run(arguments))
            gc.collect()
    finally:
        out.close()
        os.dup2(kept, 1)
        os.close(kept)
    return code, err.buffer.getvalue().decode()
