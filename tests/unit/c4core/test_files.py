"""Files that are there whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from c4core.files import atomic_file


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with atomic_file(path) as beside:
        beside.write_text("new")
        assert not path.exists()
        assert (beside.parent, beside.suffix) == (tmp_path, ".json")
    assert (names(tmp_path), path.read_text()) == (["a.json"], "new")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


def test_the_old_one_stays_until_then_and_hands_on_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("old")
    path.chmod(0o640)
    with atomic_file(path) as beside:
        beside.write_text("new")
        assert path.read_text() == "old"
    assert (names(tmp_path), path.read_text()) == (["a"], "new")
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


def test_errors_name_the_file_that_was_wanted(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "a"
    with pytest.raises(FileNotFoundError) as caught, atomic_file(missing):
        pass
    assert caught.value.filename == str(missing)

    path = tmp_path / "a"
    with pytest.raises(OSError, match="No space left") as full, atomic_file(path):
        raise OSError(28, "No space left on device")  # as a write says it, which knows no name
    assert full.value.filename == str(path)

    with pytest.raises(FileNotFoundError) as other, atomic_file(path):
        (tmp_path / "other").read_text()
    assert other.value.filename == str(tmp_path / "other")
    assert names(tmp_path) == []
