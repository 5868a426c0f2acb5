"""Read-only SQLite databases: the commands that work, and the errors of all others."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from db.checking import check
from db.database import Database
from db.errors import MissingDatabaseError, ReadOnlyError
from db.maintenance import backup, stats
from tests.support.filled import READING_COMMANDS, fill
from tests.support.running.command_line import C4, Result
from tests.support.running.databases import make_job
from tests.support.running.processes import PROCESSES, obey_permissions, run_all

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

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


def run(directory: Path, *commands: tuple[str, ...]) -> list[Result]:
    """Run commands in a process that may not write in the directory, not even as root."""
    results = PROCESSES.SimpleQueue()
    directory.chmod(0o555)
    try:
        run_all(_run_obediently, [(directory, commands, results)])
    finally:
        directory.chmod(0o755)
    found: list[Result] = results.get()
    return found


def _run_obediently(
    directory: Path, commands: tuple[tuple[str, ...], ...], results: "SimpleQueue[list[Result]]"
) -> None:
    obey_permissions()
    results.put([C4(directory)(*command) for command in commands])


def test_an_unwritable_directory_can_be_read(filled: Path, tmp_path: Path) -> None:
    directory = shutil.copytree(filled, tmp_path / "copy")
    before = sorted(directory.iterdir())
    reading = (("query", "--count"), ("db", "check", "-q"), ("jobs", "results", "1"))
    *read, shown, cancelled = run(directory, *reading, ("status",), ("jobs", "cancel", "2"))
    assert shown.code == 0
    assert [(done.code, done.err) for done in read] == [(0, "")] * len(reading)
    assert cancelled.code == 1
    assert f"cannot write {directory / 'test.db'}: it is read-only" in cancelled.err
    assert sorted(directory.iterdir()) == before


def test_the_last_changes_are_seen_or_an_error_is_raised(filled: Path, tmp_path: Path) -> None:
    source, directory = (shutil.copytree(filled, tmp_path / name) for name in ("source", "copy"))
    with Database.open(str(source / "test.db")) as database:
        job_id = make_job(database)
        for suffix in ("", "-wal", "-shm"):  # as a killed process leaves them
            shutil.copy(source / f"test.db{suffix}", directory / f"test.db{suffix}")
    (done,) = run(directory, ("jobs", "show", str(job_id)))
    assert (done.code, done.err) == (0, "")
    (directory / "test.db-shm").unlink()
    (done,) = run(directory, ("jobs", "show", str(job_id)))
    assert done.code == 1
    assert "its latest changes are in" in done.err
    assert "test.db-wal" in done.err


def test_an_interrupted_change_is_not_ignored(filled: Path, tmp_path: Path) -> None:
    directory = tmp_path / "copy"
    directory.mkdir()
    with closing(sqlite3.connect(filled / "test.db")) as source:
        source.execute("VACUUM INTO ?", (str(directory / "source.db"),))
    with closing(sqlite3.connect(directory / "source.db", isolation_level=None)) as writer:
        # A small cache: the changed pages are written before the transaction ends.
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN")
        writer.execute("DELETE FROM evaluations")
        for suffix in ("", "-journal"):  # as a killed program leaves them
            shutil.copy(directory / f"source.db{suffix}", directory / f"test.db{suffix}")
    done, _ = run(directory, ("query", "--count"), ("db", "check"))
    assert done.code == 1
    assert "its latest change was interrupted" in done.err
    assert C4(directory)("query", "--count").out == C4(filled)("query", "--count").out


def test_a_url_may_ask_for_reading_only(filled: Path, tmp_path: Path, c4: C4) -> None:
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    content = (tmp_path / "test.db").read_bytes()
    url = f"sqlite:///{tmp_path / 'test.db'}?mode=ro"
    for command in READING:
        done = c4("--db", url, *command)
        expected = {0, 1} if command[:2] == ("jobs", "results") else {0}
        assert done.code in expected, (command, done.err)
        told = "Results are not stored: the database is read-only.\n" if "solve" in command else ""
        assert "read-only" not in done.err.removeprefix(told)
    for command in WRITING:
        done = c4("--db", url, *command)
        assert done.code == 1, command
        assert "test.db: it is read-only" in done.err
    for times in (1, 2):
        done = c4("--db", url, "solve", *[EASY[:-1], EASY[:-2]][:times])
        assert done.code == 0
        assert done.err == "Results are not stored: the database is read-only.\n"
    assert (tmp_path / "test.db").read_bytes() == content


def test_reading_only_in_python_while_another_process_writes(
    tmp_path: Path, sqlite_path: Path
) -> None:
    url = f"sqlite:///{sqlite_path}?mode=ro"
    with Database.open(url) as database, Database.open(str(sqlite_path)) as writer:
        make_job(writer)
        assert {table.name: table.rows for table in stats(database).tables}["jobs"] == 1
        assert database.url == url
        assert list(check(database)) == []
        assert stats(database).bytes > 0
        assert backup(database, tmp_path / "copy.db") > 0
        with pytest.raises(ReadOnlyError, match="it is read-only"), database.write():
            pass
    with pytest.raises(MissingDatabaseError):
        Database.open(f"sqlite:///{tmp_path / 'nothing.db'}?mode=ro")
    assert not (tmp_path / "nothing.db").exists()
