import ctypes
import json
import os
import sqlite3

import pytest

from tests.support.boards.games import EASY
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS


@pytest.fixture
def filled(c4: C4) -> C4:
    assert c4("solve", EASY, EASY + "6").code == 0
    return c4


def test_a_database_is_created_once(c4: C4) -> None:
    assert json.loads(c4("db", "init", "--json").out)["created"] is True
    assert json.loads(c4("db", "init", "--json").out)["created"] is False


def test_default_database_is_created_at_first_use(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(C4, "environment", {"XDG_DATA_HOME": str(c4.directory / "data")})
    monkeypatch.delenv("C4_DB", raising=False)
    assert c4("solve", EASY).code == 0
    assert (c4.directory / "data" / "c4" / "c4.db").exists()
    assert c4("query", "--count").out == "1\n"


def test_reading_does_not_create_a_named_database(c4: C4) -> None:
    for arguments in (["status"], ["query"], ["jobs", "list"], ["db", "stats"], ["db", "check"]):
        done = c4("--db", "typo.db", *arguments)
        assert done.code == 3
        assert "there is no database typo.db" in done.err
    assert list(c4.directory.iterdir()) == []


def test_the_option_may_precede_or_follow_the_command(c4: C4) -> None:
    assert c4("--db", "one.db", "db", "init").code == 0
    assert c4("db", "init", "--db", "one.db").out.endswith("one.db: exists already\n")


def test_upgrade_of_a_current_database(filled: C4) -> None:
    assert "already up to date" in filled("db", "upgrade").out
    versions = json.loads(filled("db", "upgrade", "--json").out)
    assert versions["before"] == versions["after"]


def test_stats(filled: C4) -> None:
    stats = json.loads(filled("db", "stats", "--json").out)
    assert [row["ply"] for row in stats["boards"]["7x6"]] == [37, 38]
    text = filled("db", "stats").out
    assert text.splitlines()[-1].split() == ["all", "2", "2", "1", "0", "1", "2"]
    assert max(map(len, text.splitlines()[1:])) <= 80


def test_check_finds_damage_only_if_there_is_any(filled: C4) -> None:
    assert filled("db", "check").code == 0
    with sqlite3.connect(filled.directory / "test.db") as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE evaluations SET lower = upper + 1")
    connection.close()
    done = filled("db", "check", "--json")
    assert done.code == 1
    assert {problem["kind"] for problem in done.objects} <= {"damage", "evaluation"}
    assert done.objects[0]["message"] in filled("db", "check").out


def test_damaged_rows_are_dropped(filled: C4) -> None:
    with sqlite3.connect(filled.directory / "test.db") as connection:
        connection.execute("UPDATE evaluations SET scores = X'00' WHERE ply = 38")
    connection.close()
    listed = filled("query", "--csv")
    assert listed.code == 1
    assert (
        "of 7x6 is damaged: its column scores have changed since they were stored; " in listed.err
    )
    assert 'Use "c4 db repair" to drop damaged data' in filled("db", "check").err
    done = filled("db", "repair")
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert done.out.startswith("dropped: evaluation: position ")
    assert "1 row repaired" in done.err
    assert filled("db", "check").code == 0
    assert filled("query", "--count").out == "1\n"


def test_a_backup_can_be_used(filled: C4) -> None:
    assert filled("db", "backup", "copy.db").out.startswith("copy.db: ")
    assert filled("--db", "copy.db", "query", "--count").out == "2\n"
    again = filled("db", "backup", "copy.db")
    assert again.code == 2
    assert "exists already" in again.err


@pytest.mark.parametrize(
    ("url", "code", "message"),
    [
        ("mysql://me:secret@host/c4", 2, "unknown database scheme 'mysql'"),
        ("postgresql://me:secret@127.0.0.1:1/c4", 3, "cannot reach"),
        ("no/such/directory/c4.db", 3, "there is no directory"),
        (".", 3, "is a directory"),
        ("noise.db", 1, "noise.db is not an SQLite database"),
    ],
)
def test_unusable_databases_are_reported(c4: C4, url: str, code: int, message: str) -> None:
    (c4.directory / "noise.db").write_bytes(os.urandom(8192))
    for arguments in (["status"], ["solve", EASY]):
        done = c4("--db", url, *arguments)
        assert (done.code, done.out) == (code, "")
        assert message in done.err
        assert "secret" not in done.err
        assert "Traceback" not in done.err


def test_a_database_of_a_newer_version_is_refused(filled: C4) -> None:
    with sqlite3.connect(filled.directory / "test.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'c4_9999'")
    connection.close()
    done = filled("solve", EASY)
    assert (done.code, done.out) == (1, "")
    assert "newer" in done.err


def test_a_damaged_database_is_reported(filled: C4) -> None:
    path = filled.directory / "test.db"
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * len(content[4096:])
    path.write_bytes(content)
    done = filled("query")
    assert done.code == 1
    assert "test.db" in done.err
    assert "Traceback" not in done.err


def test_a_read_only_database_can_be_read(filled: C4) -> None:
    (filled.directory / "test.db").chmod(0o444)
    filled.directory.chmod(0o555)
    process = filled.start("solve", EASY + "7", preexec_fn=obey_permissions)
    _, talk = process.communicate(timeout=HANG_SECONDS)
    filled.directory.chmod(0o755)
    assert (process.returncode, talk) == (0, "Results are not stored: the database is read-only.\n")


def obey_permissions() -> None:
    """Make permissions apply to root: the next exec drops the capability to override file modes."""
    drop_from_bounding_set, cap_dac_override = 24, 1  # linux/prctl.h, linux/capability.h
    ctypes.CDLL(None).prctl(drop_from_bounding_set, cap_dac_override)
