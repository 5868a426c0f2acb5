"""Files are written completely or not at all, and only regular files are read."""

import os
import socket
import stat
from pathlib import Path

import pytest

from c4core.files import atomic_file, check_regular_file


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_new_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with atomic_file(path) as beside:
        beside.write_text("new")
        assert not path.exists()
        assert (beside.parent, beside.suffix) == (tmp_path, ".json")
    assert (names(tmp_path), path.read_text()) == (["a.json"], "new")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
    # The old file stays until the end, and its mode is kept.
    path.chmod(0o640)
    with atomic_file(path) as beside:
        beside.write_text("newer")
        assert path.read_text() == "new"
    assert (names(tmp_path), path.read_text()) == (["a.json"], "newer")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_nothing_is_left_of_a_failure(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "a"
    path.write_text("old")

    def fail() -> None:
        with atomic_file(path) as beside:
            beside.write_text("ne")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert (names(tmp_path), path.read_text()) == (["a"], "old")


def test_errors_name_the_target_file(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "a"
    with pytest.raises(FileNotFoundError) as caught, atomic_file(missing):
        pass
    assert caught.value.filename == str(missing)

    path = tmp_path / "a"
    with pytest.raises(OSError, match="No space left") as full, atomic_file(path):
        raise OSError(
            28, "No space left on device"
        )  # the message of a failed write, which names no file
    assert full.value.filename == str(path)

    with pytest.raises(FileNotFoundError) as other, atomic_file(path):
        (tmp_path / "other").read_text()
    assert other.value.filename == str(tmp_path / "other")
    assert names(tmp_path) == []


def test_only_regular_files_and_links_to_them_are_plain(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    check_regular_file(tmp_path / "file")
    check_regular_file(tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        for name in ("pipe", "socket", "zero", "/dev/zero", "/dev/stdin/x"):
            with pytest.raises(OSError) as caught:  # noqa: PT011 (of any kind)
                check_regular_file(tmp_path / name)
            assert caught.value.filename is not None
    with pytest.raises(FileNotFoundError):
        check_regular_file(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        check_regular_file(tmp_path)
