"""Simultaneous and killed backups, in separate processes."""

import random
import signal
import subprocess
import time
from pathlib import Path

from tests.support.damage import fill, problems
from tests.support.running.command_line import C4
from tests.support.running.waiting import HANG_SECONDS, await_that


def start(c4: C4) -> subprocess.Popen[str]:
    """Start a process that makes a backup."""
    return c4.start("db", "backup", "backup.db")


def names(path: Path) -> list[str]:
    return sorted(file.name for file in path.iterdir() if "backup" in file.name)


def test_two_simultaneous_backups(c4: C4) -> None:
    fill(c4.directory / "test.db", 500)
    processes = [start(c4) for _ in range(2)]
    talk = [process.communicate(timeout=HANG_SECONDS)[1] for process in processes]
    assert sorted(process.returncode for process in processes) == [0, 2]
    assert "exists already" in "".join(talk)
    assert names(c4.directory) == ["backup.db"]


def test_a_killed_backup_does_not_block_others(c4: C4) -> None:
    """Backups are killed at random moments."""
    target = c4.directory / "backup.db"
    fill(c4.directory / "test.db", 60_000)
    lots = random.Random(20)
    for _ in range(30):
        process = start(c4)
        await_that(
            lambda process=process: names(c4.directory) or process.poll() is not None,
            seconds=HANG_SECONDS,
        )
        time.sleep(lots.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if target.exists():
            assert problems(target) == []
            target.unlink()
    done = start(c4)
    assert done.communicate(timeout=HANG_SECONDS)[1] == ""
    assert names(c4.directory) == ["backup.db"]
    assert problems(target) == []
