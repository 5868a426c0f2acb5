"""A disk with little space, to be really filled up."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

needs_mount = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small disk")


@contextmanager
def small_disk(path: Path, *, megabytes: int) -> Iterator[Path]:
    """Mount a new disk of this size; it is unmounted and its content is lost at the end."""
    path.mkdir()
    size = f"size={megabytes}m"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(path)], check=True)
    try:
        yield path
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)


def free_bytes(path: Path) -> int:
    found = os.statvfs(path)
    return found.f_bavail * found.f_frsize


@contextmanager
def filled(disk: Path, *, but: int) -> Iterator[None]:
    """Fill a disk except for some bytes; the space is freed at the end."""
    ballast = disk / "ballast"
    number = max(free_bytes(disk) - but, 0)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, number)
    try:
        yield
    finally:
        ballast.unlink()
