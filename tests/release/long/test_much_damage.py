"""Damaged SQLite files, many of them: the gate tries a few of each kind."""

from pathlib import Path

import pytest

from tests.support.damage import faults, felt, fill, hostile, problems, unnoticed
from tests.support.running.command_line import C4


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sound file with thousands of rows."""
    path = tmp_path_factory.mktemp("large") / "c4.db"
    fill(path)
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file, most of which is no evaluations."""
    path = tmp_path_factory.mktemp("small") / "c4.db"
    fill(path, 100)
    return path


@pytest.mark.parametrize("seed", range(4))
def test_no_flip_goes_unnoticed(large: Path, tmp_path: Path, seed: int) -> None:
    assert list(unnoticed(large, tmp_path / "c4.db", 275, seed)) == []


def test_no_command_takes_a_flip_for_a_fault_of_its_own(small: Path, c4: C4) -> None:
    assert list(faults(c4, felt(small, c4.directory / "test.db", 200, seed=2))) == []


def test_no_command_takes_hostile_values_for_a_fault_of_its_own(small: Path, c4: C4) -> None:
    assert list(faults(c4, hostile(small, c4.directory / "test.db", 200, seed=2))) == []


def test_hostile_values_are_noticed(small: Path, tmp_path: Path) -> None:
    for damage in hostile(small, tmp_path / "c4.db", 200, seed=5):
        assert problems(tmp_path / "c4.db"), damage
