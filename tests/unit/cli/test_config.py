"""``c4 config``: the order of the sources, and changes to the file."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cli.commands.config import change_file
from cli.shell.process import Exit
from tests.support.boards.games import EASY
from tests.support.running.command_line import C4
from workers.configuration import Configuration, parse
from workers.errors import ConfigurationError

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
    done = c4(*options, "config", "--show", "--json")
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
    shown = c4("config", "--show")
    assert "threads   6" in shown.out
    assert SECRET not in shown.out + shown.err


def test_commands_use_the_settings_in_the_file(
    c4: C4, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.parent.mkdir()
    file.touch()
    assert c4("--db", "mine.db", "db", "init").code == 0
    assert c4("--db", "other.db", "db", "init").code == 0
    for setting in ("db mine.db", "threads 3", "table-mb 5", "color always"):
        assert c4("config", "set", *setting.split()).code == 0
    (c4.directory / "lines").write_text(f"{EASY}\n{EASY}6\n")
    analyze = ("analyze", "lines", "--no-book", "-v")
    done = c4(*analyze)
    assert "3 threads, a table of 5 MB" in done.err
    assert f"database sqlite:///{c4.directory}/mine.db" in done.err
    options = ("--threads", "1", "--table-mb", "7", "--db", "other.db")
    done = c4(*analyze, *options)
    assert "1 thread, a table of 7 MB" in done.err
    assert "\x1b[" in c4("solve", EASY).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in c4("solve", EASY).out
    assert c4("config", "set", "broker", "redis://127.0.0.1:1").code == 0
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
    assert c4("config", "path").out == f"{file}\n"
    assert c4("config", "--show").code == Exit.USAGE
    assert c4("config", "set", "threads", "2").code == Exit.USAGE
    assert file.read_text() == "threads = 4\nprogram = 'rm'\n"


def test_set_and_unset(c4: C4, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert c4("config", "unset", "db").code == Exit.PROBLEMS
    assert c4("config", "set", "db", f"postgresql://u:{SECRET}@h/d").code == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    monkeypatch.setenv("C4_THREADS", "2")
    done = c4("config", "set", "threads", "3")
    assert done.err == "C4_THREADS is also set, and overrides the file\n"
    assert c4("config", "set", "db", "here.db").code == 0
    assert file.read_text() == f'db = "{c4.directory}/here.db"\nthreads = 3\n'
    assert c4("config", "unset", "threads").code == 0
    assert file.read_text() == f'db = "{c4.directory}/here.db"\n'


HAND_WRITTEN = "# Mine.\n  threads = 4   # half of them\n\n'db' = 'a.db'\t# this one\r\n# end"


def changed(tmp_path: Path, text: str, name: str, value: str | int | None) -> str:
    file = tmp_path / "c4.toml"
    file.write_bytes(text.encode())
    change_file(Configuration(str(file)), name, value)
    return file.read_bytes().decode()


def test_comments_are_kept(tmp_path: Path) -> None:
    text = changed(tmp_path, HAND_WRITTEN, "threads", 8)
    assert text == HAND_WRITTEN.replace("threads = 4", "threads = 8")
    text = changed(tmp_path, text, "db", "b.db")
    assert text == HAND_WRITTEN.replace("threads = 4", "threads = 8").replace("'a.db'", '"b.db"')
    text = changed(tmp_path, text, "color", "auto")
    assert text.endswith('\n# end\ncolor = "auto"\n')
    text = changed(tmp_path, text, "threads", None)
    assert text.startswith("# Mine.\n\n'db'")
    text = changed(tmp_path, 'db = """\na.db"""  # mine\nthreads = 3\n', "db", "b.db")
    assert text == 'db = "b.db"  # mine\nthreads = 3\n'


def test_invalid_toml_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not TOML: Control characters"):
        changed(tmp_path, "threads = 2\n\r\r\n", "threads", 3)
    assert (tmp_path / "c4.toml").read_bytes() == b"threads = 2\n\r\r\n"


def test_pipes_and_links_to_them_are_left_alone(tmp_path: Path) -> None:
    """The null device, for example, stands for no file."""
    pipe, link = tmp_path / "pipe", tmp_path / "link"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    for place in (pipe, link):
        with pytest.raises(ConfigurationError, match="not a regular file"):
            change_file(Configuration(str(place)), "threads", 2)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real.toml"
    real.write_text("threads = 1\n")
    (tmp_path / "c4.toml").symlink_to(real)
    assert changed(tmp_path, "threads = 1\n", "threads", 2) == "threads = 2\n"
    assert (tmp_path / "c4.toml").is_symlink()


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_every_text_round_trips(text: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        written = changed(Path(directory), "db = 'x' # y\n", "db", text)
    assert parse(written, Path("c4.toml")) == {"db": text}
    assert written.endswith(" # y\n")
