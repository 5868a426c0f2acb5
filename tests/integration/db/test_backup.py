"""Simultaneous backups, and backups that are killed."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from c4core.files import flush
from db.database import Database
from db.maintenance import backup
from tests.support.damage import fill, problems
from tests.support.running.waiting import HANG_SECONDS


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir() if "backup" in file.name)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("source") / "source.db"
    fill(path, 500)
    return path


def test_one_of_two_simultaneous_backups_is_kept(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "backup.db"
    together = threading.Barrier(2)

    def flush_together(path: Path) -> None:
        if path.suffix == ".partial":
            together.wait(HANG_SECONDS)  # until both have made their copies
        flush(path)

    monkeypatch.setattr("db.maintenance.flush", flush_together)

    def make() -> str:
        with Database.open(str(source)) as database:
            try:
                backup(database, target)
            except FileExistsError as error:
                return str(error)
            return "made"

    with ThreadPoolExecutor(2) as pool:
        ends = [pool.submit(make) for _ in range(2)]
    assert sorted(end.result() for end in ends) == [
        f"{target} exists: choose another name for the backup",
        "made",
    ]
    assert problems(target) == []
    assert names(target) == ["backup.db"]


def test_leftovers_of_killed_backups_are_removed(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "backup.db"
    left = tmp_path / ".backup.db.abcdefgh.partial"
    for path in (left, Path(f"{left}-journal")):
        path.write_bytes(b"half")
    other = tmp_path / ".other-backup.db.abcdefgh.partial"
    other.touch()
    with Database.open(str(source)) as database:
        backup(database, target)
    assert names(target) == [other.name, "backup.db"]
    assert target.stat().st_mode & 0o777 == 0o666 & ~_umask()


def test_files_that_sqlite_would_add_are_refused(source: Path, tmp_path: Path) -> None:
    with Database.open(str(source)) as database:
        for suffix in ("-journal", "-wal", "-shm"):
            beside = tmp_path / f"backup.db{suffix}"
            beside.write_bytes(b"old")
            with pytest.raises(FileExistsError, match=f"{beside} exists: SQLite would read it"):
                backup(database, tmp_path / "backup.db")
            assert names(beside) == [beside.name]
            beside.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
