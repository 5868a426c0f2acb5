import errno
import os
import stat
import sys
from pathlib import Path

import click
import pytest

from cli.output import outfile


def write(path: Path, text: str) -> None:
    with outfile.opened(str(path)) as target:
        assert target is not None
        target.write(text)


def test_file_appears_whole_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with outfile.opened(str(path)) as target:
        assert target is not None
        target.write("half")
        assert not path.exists()
        target.write(" and half")
    assert path.read_text() == "half and half"
    assert list(tmp_path.iterdir()) == [path]


def test_error_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_text("old")

    def write_half() -> None:
        with outfile.opened(str(path)) as target:
            assert target is not None
            target.write("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_link_stays_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "out", tmp_path / "link"
    link.symlink_to(path)
    write(link, "text")
    assert link.is_symlink()
    assert path.read_text() == "text"


@pytest.mark.parametrize("old", [None, 0o600])
def test_mode_is_the_old_one_or_the_usual(tmp_path: Path, old: int | None) -> None:
    path, usual = tmp_path / "out", tmp_path / "usual"
    usual.touch()
    if old is not None:
        path.touch(mode=old)
    write(path, "text")
    expected = stat.S_IMODE(usual.stat().st_mode) if old is None else old
    assert stat.S_IMODE(path.stat().st_mode) == expected


def test_device_is_written_and_not_replaced() -> None:
    write(Path(os.devnull), "text")
    assert not Path(os.devnull).is_file()


def test_standard_output_and_nothing() -> None:
    with outfile.opened("-") as target:
        assert target is sys.stdout
    with outfile.opened(None) as target:
        assert target is None


@pytest.mark.parametrize("name", ["no/such/directory", "."])
def test_place_that_cannot_be_written(tmp_path: Path, name: str) -> None:
    with (
        pytest.raises(click.BadParameter, match=r"No such file|Is a directory"),
        outfile.opened(str(tmp_path / name)),
    ):
        pass


def test_full_disk_names_the_file(tmp_path: Path) -> None:
    def write_too_much() -> None:
        with outfile.opened(str(tmp_path / "out")):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(OSError, match="No space left") as caught:
        write_too_much()
    assert caught.value.filename == str(tmp_path / "out")


def test_what_can_be_opened_is_let_pass(tmp_path: Path) -> None:
    for name in (None, "-", os.devnull, str(tmp_path / "out")):
        outfile.check(name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["no/such/directory", "."])
def test_what_cannot_be_opened_is_refused_before(tmp_path: Path, name: str) -> None:
    with pytest.raises(click.BadParameter, match=r"No such file|directory"):
        outfile.check(str(tmp_path / name))
