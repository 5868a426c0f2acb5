"""Many damaged SQLite files; the gate tries a few of each kind."""

from pathlib import Path

import pytest

from tests.support.damage import faults, felt, fill, hostile, problems, unnoticed
from tests.support.running.command_line import C4


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An intact file with thousands of rows."""
    path = tmp_path_factory.mktemp("large") / "c4.db"
    fill(path)
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small file with few evaluations."""
    path = tmp_path_factory.mktemp("small") / "c4.db"
    fill(path, 100)
    return path


@pytest.mark.parametrize("seed", range(4))
def test_every_flip_is_found(large: Path, tmp_path: Path, seed: int) -> None:
    assert list(unnoticed(large, tmp_path / "c4.db", 275, seed)) == []


def test_no_command_reports_a_flip_as_a_fault_in_c4(small: Path, c4: C4) -> None:
    assert list(faults(c4, felt(small, c4.directory / "test.db", 200, seed=2))) == []


def test_no_command_reports_hostile_values_as_a_fault_in_c4(small: Path, c4: C4) -> None:
    assert list(faults(c4, hostile(small, c4.directory / "test.db", 200, seed=2))) == []


def test_hostile_values_are_found(small: Path, tmp_path: Path) -> None:
    for damage in hostile(small, tmp_path / "c4.db", 200, seed=5):
        assert problems(tmp_path / "c4.db"), damage
