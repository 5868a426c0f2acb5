"""Only ordinary files are read where somebody else has named them."""

import os
import socket
from pathlib import Path

import pytest

from c4core.files import check_plain


def test_ordinary_files_and_links_to_them(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "link").symlink_to("file")
    check_plain(tmp_path / "file")
    check_plain(tmp_path / "link")


@pytest.mark.parametrize("name", ["pipe", "socket", "zero", "/dev/zero", "/dev/stdin/x"])
def test_nothing_else(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "socket"))
        with pytest.raises(OSError) as caught:  # noqa: PT011 (of any kind)
            check_plain(tmp_path / name)
    assert caught.value.filename is not None


def test_what_is_not_there_and_what_is_a_directory(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        check_plain(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        check_plain(tmp_path)
