"""SQLite databases that can only be read: what works, and what is said of the rest."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from db.database import Database
from db.errors import MissingDatabaseError, ReadOnlyError
from db.maintenance import backup, check, stats
from tests.integration.cli.test_database import obey_permissions
from tests.support.damage import READING_COMMANDS, fill
from tests.support.running.command_line import C4
from tests.support.running.databases import make_job

EASY = "2252576253462244111563365343671351441"
READING = (*READING_COMMANDS, ("solve", EASY), ("db", "init"))
WRITING = (("jobs", "cancel", "2"), ("analyze", "positions.txt"), ("games", "delete", "1"))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a database that has been used."""
    directory = tmp_path_factory.mktemp("filled")
    c4 = C4(directory)
    (directory / "positions.txt").write_text(f"{EASY}\n")
    assert c4("analyze", "positions.txt").code == 0
    fill(directory / "test.db", 100)
    return directory


@pytest.fixture
def c4(filled: Path) -> Iterator[C4]:
    """The same in a place that nobody may write, not even root (see obey_permissions)."""
    directory = Path(tempfile.mkdtemp(prefix="c4-test-"))
    shutil.copytree(filled, directory, dirs_exist_ok=True)
    directory.chmod(0o555)
    yield C4(directory)
    directory.chmod(0o755)
    shutil.rmtree(directory)


def run(c4: C4, *arguments: str) -> tuple[int, str]:
    process = c4.start(*arguments, preexec_fn=obey_permissions)
    _, talk = process.communicate(timeout=60)
    return process.returncode, talk


def test_a_directory_that_may_not_be_written(c4: C4) -> None:
    before = sorted(c4.directory.iterdir())
    for command in (("query", "--count"), ("db", "check", "-q"), ("jobs", "results", "1")):
        assert run(c4, *command) == (0, "")
    code, talk = run(c4, "jobs", "cancel", "2")
    assert code == 1
    assert f"cannot write {c4.directory / 'test.db'}: it is read-only" in talk
    assert sorted(c4.directory.iterdir()) == before


def test_what_was_written_last_is_seen_or_missed_loudly(filled: Path, tmp_path: Path) -> None:
    source, directory = tmp_path / "source", tmp_path / "copy"
    shutil.copytree(filled, source)
    shutil.copytree(filled, directory)
    with Database.open(str(source / "test.db")) as database:
        job_id = make_job(database)
        for suffix in ("", "-wal", "-shm"):  # as a process that is killed leaves them
            shutil.copy(source / f"test.db{suffix}", directory / f"test.db{suffix}")
    directory.chmod(0o555)
    c4 = C4(directory)
    try:
        assert run(c4, "jobs", "show", str(job_id)) == (0, "")
        directory.chmod(0o755)
        (directory / "test.db-shm").unlink()
        directory.chmod(0o555)
        code, talk = run(c4, "jobs", "show", str(job_id))
        assert code == 1
        assert "its latest changes are in" in talk
        assert "test.db-wal" in talk
    finally:
        directory.chmod(0o755)


def test_a_url_that_says_so(filled: Path, tmp_path: Path) -> None:
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    content = (tmp_path / "test.db").read_bytes()
    c4 = C4(tmp_path)
    url = f"sqlite:///{tmp_path / 'test.db'}?mode=ro"
    for command in READING:
        done = c4("--db", url, *command)
        expected = {0, 1} if command[:2] == ("jobs", "results") else {0}
        assert done.code in expected, (command, done.err)
        told = "Nothing is kept: the database is read-only.\n" if "solve" in command else ""
        assert "read-only" not in done.err.removeprefix(told)
    for command in WRITING:
        done = c4("--db", url, *command)
        assert done.code == 1, command
        assert "test.db: it is read-only" in done.err
    for times in (1, 2):
        done = c4("--db", url, "solve", *[EASY[:-1], EASY[:-2]][:times])
        assert done.code == 0
        assert done.err == "Nothing is kept: the database is read-only.\n"
    assert (tmp_path / "test.db").read_bytes() == content


def test_reading_only_in_python(tmp_path: Path, sqlite_path: Path) -> None:
    url = f"sqlite:///{sqlite_path}?mode=ro"
    with Database.open(url) as database:
        assert database.url == url
        assert list(check(database)) == []
        assert stats(database).bytes > 0
        assert backup(database, tmp_path / "copy.db") > 0
        with pytest.raises(ReadOnlyError, match="it is read-only"), database.write():
            pass
    with pytest.raises(MissingDatabaseError):
        Database.open(f"sqlite:///{tmp_path / 'nothing.db'}?mode=ro")
    assert not (tmp_path / "nothing.db").exists()


def test_others_may_write_meanwhile(sqlite_path: Path) -> None:
    with (
        Database.open(f"sqlite:///{sqlite_path}?mode=ro") as reader,
        Database.open(str(sqlite_path)) as writer,
        closing(sqlite3.connect(sqlite_path)),
    ):
        make_job(writer)
        assert {table.name: table.rows for table in stats(reader).tables}["jobs"] == 1
