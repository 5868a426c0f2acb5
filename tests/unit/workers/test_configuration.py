"""The configuration file: valid settings, and errors about everything else."""

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st

from workers.configuration import (
    MAX_BYTES,
    SETTINGS,
    Configuration,
    line_of,
    misspelled,
    parse,
)
from workers.errors import ConfigurationError

FILE = Path("config.toml")
ALL = """\
# Everything.
db = 'postgresql://c4@dbhost/c4'
"broker" = "redis://queue"
threads = 4
table-mb = 256
color = "never"
"""


def test_every_setting_is_read() -> None:
    values = parse(ALL, FILE)
    assert list(values) == list(SETTINGS)
    assert values["db"] == "postgresql://c4@dbhost/c4"
    assert (values["threads"], values["table-mb"]) == (4, 256)
    assert [line_of(name, ALL) for name in SETTINGS] == [2, 3, 4, 5, 6]
    assert parse(ALL.replace("\n", "\r\n"), FILE) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("thread = 2", "config.toml, line 1: unknown setting 'thread'; use db, "),
        ("\n[db]\nurl = 'x'", "config.toml, line 2: db is a text that is not empty"),
        ("[tool.c4]", "config.toml, line 1: unknown setting 'tool'"),
        ("db = ''", "line 1: db is a text that is not empty"),
        ("db = 5", "line 1: db is a text that is not empty"),
        ("# a\nthreads = '4'", "line 2: threads is a whole number from 1 to 1,024"),
        ("threads = true", "line 1: threads is a whole number from 1 to 1,024"),
        ("threads = 1.0", "line 1: threads is a whole number"),
        ("threads = 0", "line 1: threads is a whole number"),
        ("threads = 1025", "line 1: threads is a whole number"),
        ("table-mb = 0", "line 1: table-mb is a whole number from 1 to 1,073,741,824"),
        ("color = 'red'", "line 1: color must be one of auto, always, never"),
        ("color = [1]", "line 1: color must be one of"),
        ("threads", "not TOML: "),
        ("threads = 4\nthreads = 5", "not TOML: "),
        ("x = " + "9" * 5000, "config.toml: not TOML: "),
        ("x = " + "[" * 30_000, "config.toml: not TOML: nested too deeply"),
        ("x" * 500 + " = 1", f"unknown setting '{'x' * 40}'; use"),
    ],
)
def test_errors_name_the_line_and_the_setting(text: str, message: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse(text, FILE)
    assert message in str(caught.value)
    assert caught.value.path == "config.toml"
    assert len(str(caught.value)) < 200


@given(st.text())
@example("db.x = 1")
@example('"" = 1')
def test_no_text_crashes_the_parser(text: str) -> None:
    with suppress(ConfigurationError):
        assert parse(text, FILE) == {}


def fault(path: Path) -> str:
    with pytest.raises(ConfigurationError) as caught:
        _ = Configuration(str(path)).values
    return str(caught.value)


def test_bad_files_are_refused(tmp_path: Path) -> None:
    assert fault(tmp_path / "missing").endswith("missing (named by C4_CONFIG): no such file")
    assert fault(tmp_path).endswith("(named by C4_CONFIG): not a regular file")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert fault(pipe).endswith("not a regular file")
    file = tmp_path / "file"
    file.write_bytes(b"threads = 4\n# \xff\n")
    assert fault(file).endswith("line 2 is not UTF-8")
    file.write_bytes(b"#" * (MAX_BYTES + 1))
    assert fault(file).endswith("longer than 65,536 bytes")


def test_without_a_file_nothing_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Configuration(os.devnull).values == {}
    monkeypatch.setenv("C4_CONFIG", "")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert Configuration().path == tmp_path / "c4" / "config.toml"
    assert Configuration().values == {}
    monkeypatch.setenv("C4_CONFIG", "~/mine.toml")
    assert Configuration().path == Path("~/mine.toml").expanduser()


def test_misspelled_variables_are_reported() -> None:
    others = ("C4_PORT", "C4_SERVER_SERVICE_HOST", "C4_TEST_SERVERS", "C4_DB_PASSWORD", "HOME")
    known = ("C4_DB", "C4_THREADS", "C4_WEB_THREADS", "C4_TRACE")
    wrong = {"C4_DB_URL": "C4_DB", "C4_THREDS": "C4_THREADS", "C4_TOKEN": "C4_WEB_TOKEN"}
    assert list(misspelled(dict.fromkeys((*others, *known, *wrong), "1"))) == [
        f"the environment variable {name} is unknown: is it meant to be {meant}?"
        for name, meant in wrong.items()
    ]
