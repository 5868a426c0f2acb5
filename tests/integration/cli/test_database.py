import json
import os
import sqlite3
from contextlib import closing

import pytest

from tests.support.boards.games import EASY
from tests.support.running.command_line import C4


@pytest.fixture
def filled(c4: C4) -> C4:
    assert c4("solve", EASY, EASY + "6").code == 0
    return c4


def execute(c4: C4, *statements: str) -> None:
    with closing(sqlite3.connect(c4.directory / "test.db", isolation_level=None)) as database:
        for statement in statements:
            database.execute(statement)


def test_default_database_is_created_at_first_use(c4: C4, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(C4, "environment", {"XDG_DATA_HOME": str(c4.directory / "data")})
    monkeypatch.delenv("C4_DB", raising=False)
    assert c4("solve", EASY).code == 0
    assert (c4.directory / "data" / "c4" / "c4.db").exists()
    assert c4("query", "--count").out == "1\n"


def test_a_current_database_is_upgraded_and_counted(filled: C4) -> None:
    assert "already up to date" in filled("db", "upgrade").out
    versions = json.loads(filled("db", "upgrade", "--json").out)
    assert versions["before"] == versions["after"]
    stats = json.loads(filled("db", "stats", "--json").out)
    assert [row["ply"] for row in stats["boards"]["7x6"]] == [37, 38]
    text = filled("db", "stats").out
    assert text.splitlines()[-1].split() == ["all", "2", "2", "1", "0", "1", "2"]
    assert max(map(len, text.splitlines()[1:])) <= 80


def test_check_finds_damage_only_if_there_is_any(filled: C4) -> None:
    assert filled("db", "check").code == 0
    allow = "PRAGMA ignore_check_constraints = ON"
    execute(filled, allow, "UPDATE evaluations SET lower = upper + 1")
    done = filled("db", "check", "--json")
    assert done.code == 1
    assert {problem["kind"] for problem in done.objects} <= {"damage", "evaluation"}
    assert done.objects[0]["message"] in filled("db", "check").out


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
