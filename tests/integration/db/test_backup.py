"""Backups that meet, and backups that are killed."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from db.database import Database
from db.maintenance import backup, check
from tests.support.damage import fill
from tests.support.running.waiting import await_that

ROOT = Path(__file__).parents[3]


def start(source: Path, target: Path) -> subprocess.Popen[str]:
    """A process that makes a backup."""
    return subprocess.Popen(
        [sys.executable, "-m", "cli", "--db", str(source), "db", "backup", str(target)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.parent.iterdir() if "backup" in file.name)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    fill(tmp_path / "source.db", 500)
    return tmp_path / "source.db"


def test_of_two_at_once_one_is_kept(source: Path, tmp_path: Path) -> None:
    for round_ in range(5):
        target = tmp_path / f"backup{round_}.db"
        together = threading.Barrier(2)
        ends: list[str] = []

        def make(
            target: Path = target,
            together: threading.Barrier = together,
            ends: list[str] = ends,
        ) -> None:
            with Database.open(str(source)) as database:
                together.wait()
                try:
                    backup(database, target)
                except FileExistsError as error:
                    ends.append(str(error))
                else:
                    ends.append("made")

        makers = [threading.Thread(target=make) for _ in range(2)]
        for maker in makers:
            maker.start()
        for maker in makers:
            maker.join()
        assert sorted(ends) == [f"{target} exists: a backup overwrites nothing", "made"]
        with Database.open(str(target)) as copy:
            assert list(check(copy)) == []
        assert names(target) == [f"backup{number}.db" for number in range(round_ + 1)]


def test_two_processes_at_once(source: Path, tmp_path: Path) -> None:
    target = tmp_path / "backup.db"
    processes = [start(source, target) for _ in range(2)]
    talk = [process.communicate(timeout=60)[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 2]
    assert "exists already" in "".join(talk)
    assert names(target) == ["backup.db"]


def test_what_the_killed_have_left_goes_away(source: Path, tmp_path: Path) -> None:
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


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.long
def test_a_backup_that_is_killed_blocks_no_other(tmp_path: Path) -> None:
    source, target = tmp_path / "source.db", tmp_path / "backup.db"
    fill(source, 60_000)
    lots = random.Random(20)
    killed = 0
    while killed < 20:
        process = start(source, target)
        await_that(lambda process=process: names(target) or process.poll() is not None)
        time.sleep(lots.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if process.returncode == 0 or target.exists():  # it was done: whole, or not there
            with Database.open(str(target)) as copy:
                assert list(check(copy)) == []
            target.unlink()
            continue
        killed += 1
    done = start(source, target)
    assert done.communicate(timeout=120)[1] == ""
    assert names(target) == ["backup.db"]
    with Database.open(str(target)) as copy:
        assert list(check(copy)) == []
