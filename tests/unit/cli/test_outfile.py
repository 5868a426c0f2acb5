import errno
import os
import stat
import sys
from pathlib import Path

import click
import pytest

from cli.output.formats import check_writable, opened


def write(path: Path, text: str) -> None:
    with opened(str(path)) as target:
        target.write(text)


def test_the_file_appears_complete_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with opened(str(path)) as target:
        target.write("half")
        assert not path.exists()
        target.write(" and half")
    assert path.read_text() == "half and half"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left")])
def test_an_error_leaves_only_the_old_file(tmp_path: Path, error: BaseException) -> None:
    """If the system does not name the file, its name is added."""
    path = tmp_path / "out"
    path.write_text("old")

    def write_half() -> None:
        with opened(str(path)) as target:
            target.write("new")
            raise error

    with pytest.raises(type(error)) as caught:
        write_half()
    assert not isinstance(caught.value, OSError) or caught.value.filename == str(path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "out", tmp_path / "link"
    link.symlink_to(path)
    write(link, "text")
    assert link.is_symlink()
    assert path.read_text() == "text"


@pytest.mark.parametrize("old", [None, 0o600])
def test_the_mode_is_the_old_one_or_the_default(tmp_path: Path, old: int | None) -> None:
    path, usual = tmp_path / "out", tmp_path / "usual"
    usual.touch()
    if old is not None:
        path.touch(mode=old)
    write(path, "text")
    expected = stat.S_IMODE(usual.stat().st_mode) if old is None else old
    assert stat.S_IMODE(path.stat().st_mode) == expected


def test_a_device_is_written_and_not_replaced() -> None:
    write(Path(os.devnull), "text")
    assert not Path(os.devnull).is_file()


def test_standard_output() -> None:
    for name in ("-", None):
        with opened(name) as target:
            assert target is sys.stdout
        with opened(name, "parquet") as target:
            assert target is sys.stdout.buffer


@pytest.mark.parametrize("name", ["no/such/directory", "."])
def test_an_unwritable_place_is_reported(tmp_path: Path, name: str) -> None:
    with (
        pytest.raises(click.BadParameter, match=r"No such file|Is a directory"),
        opened(str(tmp_path / name)),
    ):
        pass
    with pytest.raises(click.BadParameter, match=r"No such file|directory"):
        check_writable(str(tmp_path / name))


def test_writable_files_pass_the_check(tmp_path: Path) -> None:
    for name in (None, "-", os.devnull, str(tmp_path / "out")):
        check_writable(name)
    assert not list(tmp_path.iterdir())
