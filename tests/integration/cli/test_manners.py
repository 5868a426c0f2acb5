"""Behaviour common to all commands: passwords, empty options, folders, and long searches."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from cli.output import progress
from cli.output.progress import HINT
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4
from tests.support.running.terminal import run_on_terminal

SECRET = "hunter2"

DATABASES = [
    f"postgresqll://u:{SECRET}/x@127.0.0.1:1/d",
    f"postgresql://u:{SECRET}@127.0.0.1:1/d",
    f"postgresql://127.0.0.1:1/d?user=u&password={SECRET}",
]
BROKERS = [
    f"redis://:{SECRET}/x@127.0.0.1:1/0",
    f"amqp://u:{SECRET}@127.0.0.1:1//",
    f"kafka://u:{SECRET}@127.0.0.1",
]
"""tests/property/test_masking_properties.py covers every way of writing a URL."""


@pytest.mark.parametrize(
    ("command", "url"),
    [
        *(("status -v", url) for url in DATABASES),
        ("db stats --json", DATABASES[1]),
        ("analyze -v --sample", DATABASES[1]),
        *((f"solve -v {EASY} --no-book", url) for url in BROKERS),
    ],
)
def test_no_command_shows_a_password(c4: C4, command: str, url: str) -> None:
    done = c4(*command.split(), "--broker" if url in BROKERS else "--db", url)
    assert done.code in ({2, 3} if url in BROKERS else {1, 2, 3})
    assert SECRET not in done.out + done.err
    assert "a fault in c4" not in done.err
    assert url in BROKERS or not list(c4.directory.iterdir())


def test_a_stack_trace_does_not_show_the_password(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("C4_TRACE", "1")
    for url, words in ((DATABASES[0], "UnknownSchemeError"), (DATABASES[1], "cannot reach")):
        done = c4("status", "--db", url)
        assert words in done.err
        assert "Traceback" in done.err
        assert SECRET not in done.out + done.err


def test_an_empty_variable_is_ignored(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = c4.environment | {"C4_DB": "", "C4_BROKER": ""}
    monkeypatch.setattr(C4, "environment", variables)
    done = c4("solve", "-v", EASY, "--no-book")
    assert done.code == 0
    assert f"{c4.directory}/data/c4/c4.db" in done.err


def test_a_long_search_shows_its_progress_on_a_terminal(c4: C4) -> None:
    command = ("solve", "--board", "10x7", "--score-only", "")
    shown = rb"[\d,]{5,} nodes in \d+\.\d\d s, score between -\d+ and \+\d+"
    written = run_on_terminal(c4, *command, code=130, interrupted_at=shown)
    assert written.endswith(b"Interrupted.\r\n")


@pytest.mark.parametrize(("terminal", "quiet"), [(True, False), (True, True), (False, False)])
def test_progress_is_for_terminals_and_can_be_silenced(
    monkeypatch: pytest.MonkeyPatch, *, terminal: bool, quiet: bool
) -> None:
    settings: Any = SimpleNamespace(quiet=quiet)
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: terminal))
    assert progress.is_shown(settings) == (terminal and not quiet)


def test_after_some_time_progress_shows_a_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    for hint in (True, False):
        now = 100.0
        with progress.watching(lambda seconds: f"{seconds} s", shown=True, hint=hint) as look:
            for now in (100.5, 101.5, 109.0):  # noqa: B007 (the clock reads it)
                look()
            assert HINT not in capsys.readouterr().err
            for now in (110.5, 111.0):  # noqa: B007
                look()
        assert capsys.readouterr().err.count(HINT) == hint


def test_help_and_version_have_a_short_form(c4: C4) -> None:
    assert c4("-V").out == c4("--version").out
    for words in ([], ["solve"], ["jobs", "list"]):
        assert c4("help", *words) == c4(*words, "--help")
    assert c4("jobs", "help", "list") == c4("jobs", "list", "--help")
