"""Behaviour common to all commands: passwords, empty options, folders, and long searches."""

from __future__ import annotations

import re
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from c4core.position import Position
from cli.output import progress
from cli.output.progress import HINT, SearchProgress
from cli.positions import asking
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4, ROOT
from tests.support.running.terminal import run_on_terminal
from workers.answers.question import Question
from workers.remote import RemoteSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = "hunter2"

DATABASES = [
    f"postgresqll://u:{SECRET}/x@127.0.0.1:1/d",
    f"postgresql://u:p@{SECRET}@127.0.0.1:1/d",
    f"postgresql://u:{SECRET}@127.0.0.1:1/d",
    f"postgresql://u:{SECRET}@127.0.0.1:port/d",
    f"postgresql://127.0.0.1:1/d?user=u&password={SECRET}",
    f"postgresql://127.0.0.1:1/d?sslpassword={SECRET}&no_such_option=1",
    f"postgresql:/u:{SECRET}@127.0.0.1/d",
    f"u:{SECRET}@127.0.0.1/d",
    f"postgresql://u:{SECRET}",
]
BROKERS = [
    f"rediss://:{SECRET}@127.0.0.1:1/0",
    f"redis://:{SECRET}/x@127.0.0.1:1/0",
    f"redis://{SECRET}@127.0.0.1:1/0",
    f"redis://:p@{SECRET}@127.0.0.1:1",
    f"amqp://u:{SECRET}@127.0.0.1:1//",
    f"amqp://u:5672/{SECRET}@127.0.0.1",
    f"amqp://u:?{SECRET}@127.0.0.1:1",
    f"kafka://u:{SECRET}@127.0.0.1",
    f"redis://:{SECRET}",
]


@pytest.mark.parametrize(
    ("command", "url"),
    [
        *(("status -v", url) for url in DATABASES),
        ("db stats --json", DATABASES[2]),
        ("analyze -v --sample", DATABASES[2]),
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
    for url, words in ((DATABASES[0], "UnknownSchemeError"), (DATABASES[2], "cannot reach")):
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


def test_watch_shows_the_rate(c4: C4) -> None:
    assert c4("analyze", "--sample", "--score-only", "-q").code == 0
    assert re.search(r"positions, ([\d,.]+|-)/s$", c4("jobs", "watch", "1").out.strip())


def test_all_output_goes_through_echo() -> None:
    """Use echo of cli.shell.process: it escapes untrusted names."""
    # Completion writes click's script with its line breaks; it contains no untrusted names.
    allowed = {"cli/shell/process.py", "cli/reference.py", "cli/commands/completion.py"}
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "cli").rglob("*.py")
        if re.search(r"\bclick\.(echo|secho)\b|(?<![.\w])print\(", path.read_text())
    }
    assert found <= allowed


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
    assert progress.is_shown(settings, over_output=False) == (terminal and not quiet)


def test_after_some_time_progress_shows_a_hint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 100.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now)
    for hint in (True, False):
        now = 100.0
        with progress.watching(lambda: SearchProgress(5, -1, 2), shown=True, hint=hint) as look:
            for now in (100.5, 101.5, 109.0):  # noqa: B007 (the clock reads it)
                look()
            assert HINT not in capsys.readouterr().err
            for now in (110.5, 111.0):  # noqa: B007
                look()
        assert capsys.readouterr().err.count(HINT) == hint


class Watching:
    """Replaces the display of progress, and keeps how it was asked for."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    @contextmanager
    def __call__(self, progress: object, **options: object) -> Iterator[Callable[[], None]]:
        assert progress is None
        self.asked.append(options)
        yield lambda: None


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Watching:
    watching = Watching()
    monkeypatch.setattr(asking, "watching", watching)
    return watching


def test_waiting_for_workers_shows_a_hint(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RemoteSearch, "evaluate", lambda *_: [])
    nothing: Any = None
    asker = asking.RemoteAsker(nothing, nothing, on_nobody=lambda: None)
    for positions, limit in ((1, None), (2, None), (1, 5.0)):
        asker.ask([Position("")] * positions, Question(time_limit=limit))
    assert [options["hint"] for options in watching.asked] == [True, False, False]


def test_without_workers_no_search_is_shown(
    watching: Watching, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(search: RemoteSearch, *_arguments: object) -> list[object]:
        search._on_nobody()
        return []

    monkeypatch.setattr(RemoteSearch, "evaluate", search)
    nothing: Any = None
    told: list[bool] = []
    asker = asking.RemoteAsker(nothing, nothing, on_nobody=lambda: told.append(True))
    asker.ask([Position("")], Question())
    is_alone = watching.asked[0]["is_alone"]
    assert (told, is_alone()) == ([True], True)
    for alone, text in ((bool, "workers search, 5.0"), (is_alone, "waiting for workers, 5.0")):
        line = progress._SearchLine(None, hint=False, is_alone=alone)
        assert line._text(5.0).startswith(text)


def test_help_and_version_have_a_short_form(c4: C4) -> None:
    assert c4("-V").out == c4("--version").out
    for words in ([], ["solve"], ["jobs", "list"]):
        assert c4("help", *words) == c4(*words, "--help")
    assert c4("jobs", "help", "list") == c4("jobs", "list", "--help")
