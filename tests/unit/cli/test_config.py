"""``c4 config``: the order of the sources."""

import json
from pathlib import Path

import pytest

from cli.shell.process import Exit
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4

SECRET = "hunter2"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "folder" / "c4.toml"
    monkeypatch.setenv("C4_CONFIG", str(file))
    for name in ("C4_BROKER", "C4_THREADS", "C4_TABLE_MB", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return file


@pytest.fixture
def c4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> C4:
    """No environment variable names its database."""
    monkeypatch.setattr(C4, "environment", {"C4_DB": "", "XDG_DATA_HOME": str(tmp_path / "data")})
    return C4(tmp_path)


def sources(c4: C4, *options: str) -> dict[str, tuple[object, str, str | None]]:
    done = c4(*options, "config", "--json")
    assert done.code == 0, done.err
    rows = json.loads(done.out)
    return {row["setting"]: (row["value"], row["source"], row["place"]) for row in rows}


def test_the_nearest_source_wins(c4: C4, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.parent.mkdir()
    file.write_text("")
    found = sources(c4)
    assert found["db"] == (f"{c4.directory}/data/c4/c4.db", "default", None)
    assert found["broker"] == ("none", "default", None)
    assert found["table-mb"] == (64, "default", None)
    assert found["color"] == ("auto", "default", None)
    assert not (c4.directory / "data").exists()  # reading creates nothing

    url = f"postgresql://c4:{SECRET}@dbhost/c4"
    file.write_text(f"# mine\ndb = '{url}'\nthreads = 5\ncolor = 'never'\n")
    found = sources(c4)
    assert found["db"] == ("postgresql://c4:***@dbhost/c4", "file", f"{file}, line 2")
    assert found["threads"] == (5, "file", f"{file}, line 3")
    assert found["color"] == ("never", "file", f"{file}, line 4")

    monkeypatch.setenv("C4_THREADS", "6")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setitem(c4.environment, "C4_DB", url)
    found = sources(c4)
    assert found["db"] == ("postgresql://c4:***@dbhost/c4", "environment", "C4_DB")
    assert found["threads"] == (6, "environment", "C4_THREADS")
    assert found["color"] == ("always", "environment", "FORCE_COLOR")

    found = sources(c4, "--db", "x.db", "--broker", f"redis://:{SECRET}@queue")
    assert found["db"] == ("x.db", "option", "--db")
    assert found["broker"] == ("redis://:***@queue", "option", "--broker")
    shown = c4("config")
    assert "threads   6" in shown.out
    assert SECRET not in shown.out + shown.err
    assert f"file {file}\n" in shown.err


def test_commands_use_the_settings_in_the_file(
    c4: C4, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.parent.mkdir()
    file.write_text("")
    assert c4("--db", "mine.db", "db", "init").code == 0
    assert c4("--db", "other.db", "db", "init").code == 0
    file.write_text("db = 'mine.db'\nthreads = 3\ntable-mb = 5\ncolor = 'always'\n")
    (c4.directory / "lines").write_text(f"{EASY}\n{EASY}6\n")
    analyze = ("analyze", "lines", "--no-book", "-v")
    done = c4(*analyze)
    assert "3 threads, a table of 5 MB" in done.err
    assert "database sqlite:///mine.db" in done.err
    options = ("--threads", "1", "--table-mb", "7", "--db", "other.db")
    done = c4(*analyze, *options)
    assert "1 thread, a table of 7 MB" in done.err
    assert "\x1b[" in c4("solve", EASY).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in c4("solve", EASY).out
    file.write_text("db = 'mine.db'\nbroker = 'redis://127.0.0.1:1'\n")
    assert c4("solve", EASY, "--no-book").code == Exit.UNREACHABLE
    assert c4("solve", EASY, "--no-book", "--broker", "none").code == 0


def test_help_works_with_a_bad_file(c4: C4, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("threads = 4\nprogram = 'rm'\n")
    done = c4("solve", EASY)
    assert (done.code, done.out) == (Exit.USAGE, "")
    assert f"{file}, line 2: unknown setting 'program'" in done.err
    assert c4("solve", "--help").code == 0
    assert c4("completion", "bash").code == 0
    assert c4("config").code == Exit.USAGE
